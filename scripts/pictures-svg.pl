#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Makes an SVG of the screen of a terminal, as `tmux capture-pane -e -N -p` prints it: text, in the
# colors of a terminal on a dark ground.
use strict;
use warnings;
use utf8;
binmode STDIN, ':encoding(UTF-8)';
binmode STDOUT, ':encoding(UTF-8)';

my ($width, $height, $ground, $plain) = (8, 17, '#1b1d22', '#d4d4d4');
my @colors = ('#5c6370', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', $plain);
my (%style, $columns, $out);

chomp(my @lines = <STDIN>);
pop @lines while @lines && $lines[-1] !~ /\S/;

# The style goes on in the next line until it is changed.
sub set_style {
	for my $code (split /;/, shift || '0') {
		if ($code == 0) { %style = () }
		elsif ($code == 1 || $code == 2 || $code == 7) { $style{$code} = 1 }
		elsif ($code == 22) { delete @style{1, 2} }
		elsif ($code == 27) { delete $style{7} }
		elsif ($code == 39) { delete $style{color} }
		elsif ($code >= 30 && $code <= 37) { $style{color} = $colors[$code - 30] }
	}
}

$columns = 0;
for my $row (0 .. $#lines) {
	my $x = 0;

	for my $part (split /(?=\e\[[0-9;]*m)/, $lines[$row]) {
		set_style($1) if $part =~ s/^\e\[([0-9;]*)m//;
		my $n = length $part or next;
		my $color = $style{color} // $plain;
		my $at = sprintf 'x="%d" y="%d"', 10 + $x * $width, 22 + $row * $height;

		$x += $n;
		if ($style{7}) {
			$out .= sprintf qq(<rect x="%d" y="%d" width="%d" height="%d" fill="$color"/>\n),
				10 + ($x - $n) * $width, 9 + $row * $height, $n * $width, $height;
			$color = $ground;
		}
		next if $part !~ /\S/;
		$part =~ s/&/&amp;/g;
		$part =~ s/</&lt;/g;
		$part =~ s/>/&gt;/g;
		my $bold = $style{1} ? ' font-weight="bold"' : '';
		my $dim = $style{2} ? ' opacity="0.6"' : '';
		# no font of the viewer's makes the columns wider
		$out .= sprintf qq(<text $at textLength="%d" fill="$color"$bold$dim>%s</text>\n),
			$n * $width, $part;
	}
	$columns = $x if $x > $columns;
}
printf qq(<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-size="13"
	font-family="ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace">
<!-- SPDX-License-Identifier: GPL-2.0-only; made by scripts/pictures -->
<style>text { white-space: pre }</style>
<rect width="100%%" height="100%%" rx="6" fill="$ground"/>
%s</svg>
), 20 + $columns * $width, 20 + @lines * $height, $out;
