#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# The demo's workload: count the words of a text and print the most frequent ones.
use strict;
use warnings;

my %count;
while (my $line = <>) {
	$count{lc $_}++ for $line =~ /[[:alpha:]]{3,}/g;
}
my @words = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
printf "%7d %s\n", $count{$_}, $_ for @words[0 .. 4];
