// SPDX-License-Identifier: GPL-2.0-only
//! Inlined functions in Rust: closures and iterators.
use std::collections::HashMap;

fn twist(n: u32) -> u32 {
    n.wrapping_mul(7) ^ (n >> 3)
}

#[inline(never)]
fn even(n: u32) -> u32 {
    (0..n).map(|i| twist(i) ^ twist(i + 5)).filter(|x| x & 1 == 0).fold(0, u32::wrapping_add)
}

fn main() {
    let n = std::env::args().count() as u32 * 10;
    let mut map: HashMap<u32, String> = HashMap::new();
    let mut numbers: Vec<u32> = (0..n).map(|i| twist(i) ^ even(i)).collect();

    for i in 0..n {
        map.entry(twist(i)).or_default().push('x');
    }
    numbers.sort_by_key(|number| twist(*number));
    println!("{} {}", numbers[0], map.len());
}
