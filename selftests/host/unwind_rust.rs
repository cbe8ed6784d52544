// SPDX-License-Identifier: GPL-2.0-only
// Recursion, and calls of closures by the library: for unwind_test.sh
use std::collections::HashMap;

#[inline(never)]
fn fib(n: u64) -> u64 {
    if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
}

fn main() {
    let mut total = 0u64;
    for round in 0..1_000_000_000u64 {
        let mut counts: HashMap<String, u64> = HashMap::new();
        for i in 0..300u64 {
            *counts.entry(format!("k{}", i * round % 97)).or_insert(0) += i;
        }
        let mut sorted: Vec<_> = counts.into_iter().collect();
        sorted.sort_by(|a, b| a.1.cmp(&b.1));
        total += fib(16) + sorted.iter().map(|x| x.1).sum::<u64>();
    }
    println!("{}", total);
}
