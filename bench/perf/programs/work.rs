// SPDX-License-Identifier: GPL-2.0-only

//! Uses CPU time in four functions of its own and in Rust's library, in two threads: work ROUNDS.

use std::collections::HashMap;

const NUMBERS: usize = 20000;

#[inline(never)]
fn fill(all: &mut [u32], mut seed: u32) {
    for number in all {
        seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
        *number = seed >> 8;
    }
}

#[inline(never)]
fn checksum(all: &[u32]) -> u32 {
    let mut sum = 1u32;
    for _ in 0..20 {
        for number in all {
            sum = sum.rotate_left(5) ^ number;
        }
    }
    sum
}

#[inline(never)]
fn count(all: &[u32]) -> u32 {
    let mut seen: HashMap<u32, u32> = HashMap::new();
    for number in all {
        *seen.entry(number % 5000).or_default() += 1;
    }
    seen.len() as u32
}

#[inline(never)]
fn texts(all: &[u32]) -> u32 {
    let mut kept: Vec<String> = all.iter().step_by(10).map(|n| n.to_string()).collect();
    kept.sort();
    kept[0].len() as u32
}

fn work(rounds: u32, seed: u32) -> u32 {
    let mut all = vec![0; NUMBERS];
    let mut sum = 0u32;
    for i in 0..rounds {
        fill(&mut all, seed + i);
        sum ^= checksum(&all).wrapping_add(count(&all)).wrapping_add(texts(&all));
    }
    sum
}

fn main() {
    let rounds: u32 = std::env::args().nth(1).unwrap().parse().unwrap();
    let threads = [0, 1].map(|i| std::thread::spawn(move || work(rounds / 2, i)));
    println!("{:?}", threads.map(|thread| thread.join().unwrap()));
}
