//! Numbers that people can read.

/// `1 234 567`: groups of three digits, with spaces that do not break.
pub fn show_count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push('\u{a0}');
        }
        out.push(digit);
    }
    out
}

/// `12 MiB`, `1.5 GiB`.
pub fn show_bytes(bytes: u64) -> String {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    const GIB: u64 = 1 << 30;
    match bytes {
        0..KIB => format!("{bytes} B"),
        KIB..MIB => format!("{} KiB", bytes / KIB),
        MIB..GIB => format!("{} MiB", bytes / MIB),
        _ => format!("{:.1} GiB", bytes as f64 / GIB as f64),
    }
}

/// `4 ms`, `0.25 s`, `12.3 s`, `145 s`.
pub fn show_seconds(seconds: f64) -> String {
    match seconds {
        s if s < 0.1 => format!("{:.0} ms", (s * 1000.0).max(1.0)),
        s if s < 10.0 => format!("{s:.2} s"),
        s if s < 100.0 => format!("{s:.1} s"),
        s => format!("{s:.0} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped() {
        let plain = |n| show_count(n).replace('\u{a0}', " ");
        assert_eq!(plain(0), "0");
        assert_eq!(plain(999), "999");
        assert_eq!(plain(1_234_567), "1 234 567");
    }

    #[test]
    fn sizes_have_fitting_units() {
        assert_eq!(show_bytes(17), "17 B");
        assert_eq!(show_bytes(3 << 20), "3 MiB");
        assert_eq!(show_bytes(3 << 29), "1.5 GiB");
    }

    #[test]
    fn times_have_fitting_digits() {
        assert_eq!(show_seconds(0.0001), "1 ms");
        assert_eq!(show_seconds(0.25), "0.25 s");
        assert_eq!(show_seconds(145.2), "145 s");
    }
}
