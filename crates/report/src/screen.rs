//! What is laid out for a screen: formulas that are broken where they are weakest, and how long a text is there.

use crate::human::Layout;

/// Where nobody knows how wide the screen is, it counts as this wide.
const USUAL_WIDTH: usize = 100;

/// Without `-v` what is said of a proof should not take more lines than this.
pub(crate) const MAX_LINES: usize = 60;

/// How many lines a text takes on the screen.
pub(crate) fn lines_on_screen(text: &str, layout: &Layout) -> usize {
    let width = layout.width.unwrap_or(USUAL_WIDTH).max(1);
    text.lines().map(|line| line.chars().count().div_ceil(width).max(1)).sum()
}

/// Breaks a formula into lines of at most `room` characters, where that is possible: before the operator that binds weakest of
/// those in the second half of a line, and behind commas if there is none.
pub(crate) fn wrap_formula(text: &str, room: Option<usize>) -> Vec<String> {
    let Some(room) = room.filter(|room| text.chars().count() > *room) else {
        return vec![text.to_string()];
    };
    let text: Vec<char> = text.chars().collect();
    let breaks = breaks(&text);
    let mut lines = Vec::new();
    let mut start = 0;
    while text.len() - start > room {
        let inside = |from: usize, to: usize| breaks.iter().filter(move |(at, _)| from < *at && *at <= to);
        // Of those that bind equally weakly the last one.
        let weakest = |from, to| inside(from, to).min_by_key(|(at, depth)| (*depth, usize::MAX - at));
        let found = weakest(start + room / 2, start + room).or_else(|| weakest(start, start + room));
        let Some((at, _)) = found.or_else(|| inside(start, text.len()).next()) else { break };
        lines.push(text[start..*at].iter().collect::<String>().trim().to_string());
        start = *at;
        while text.get(start).is_some_and(|c| *c == ' ') {
            start += 1;
        }
    }
    lines.push(text[start..].iter().collect::<String>().trim().to_string());
    lines
}

/// The first conjuncts and disjuncts of a formula, if all of it is longer than this; and whether it is.
pub(crate) fn cut_formula(text: &str, most: usize) -> (String, bool) {
    if text.chars().count() <= most {
        return (text.to_string(), false);
    }
    let text: Vec<char> = text.chars().collect();
    let breaks = breaks(&text);
    // Outside of parentheses, unless too little would be left.
    let operators = || breaks.iter().filter(|(at, depth)| *at <= most && *depth < usize::MAX);
    let outside = operators().rfind(|(at, depth)| *depth <= 2 && *at >= most / 3);
    let at = outside.or_else(|| operators().min_by_key(|(at, depth)| (depth.saturating_sub(1) / 2, usize::MAX - at)));
    let (at, operator) = match at {
        Some(&(at, _)) => (at, text[at..].iter().take(3).collect::<String>()),
        None => (most, String::new()),
    };
    (format!("{}{operator} …", text[..at].iter().collect::<String>()), true)
}

/// Where a formula can be broken, and how much its operators bind there: the parentheses around count most.
fn breaks(text: &[char]) -> Vec<(usize, usize)> {
    let mut depth = 0usize;
    let mut found = Vec::new();
    for (at, c) in text.iter().enumerate() {
        let comes = |what: &str| what.chars().enumerate().all(|(index, c)| text.get(at + index) == Some(&c));
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ' ' if comes("  →  ") => found.push((at, 0)),
            ' ' if comes(" || ") || comes(" or @") => found.push((at, 2 * depth + 1)),
            ' ' if comes(" && ") || comes(" with ") => found.push((at, 2 * depth + 2)),
            ' ' if at > 0 && text[at - 1] == ',' => found.push((at, usize::MAX)),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_break_before_operators() {
        let text = "m == none && x == 1 || m == another && x <= 1";
        assert_eq!(wrap_formula(text, None), [text]);
        assert_eq!(wrap_formula(text, Some(30)), ["m == none && x == 1", "|| m == another && x <= 1"]);
        assert_eq!(wrap_formula(text, Some(20)), ["m == none && x == 1", "|| m == another", "&& x <= 1"]);
        assert_eq!(wrap_formula("a == 1  →  b' == 2", Some(10)), ["a == 1", "→  b' == 2"]);
    }

    #[test]
    fn parentheses_stay_together_where_there_is_room() {
        let text = "a == 1 && (b == 2 || c == 3) && (d == 4 || e == 5)";
        assert_eq!(wrap_formula(text, Some(30)), ["a == 1 && (b == 2 || c == 3)", "&& (d == 4 || e == 5)"]);
        assert_eq!(wrap_formula("s in {1, 2, 3, 4, 5}", Some(12)), ["s in {1, 2,", "3, 4, 5}"]);
    }

    #[test]
    fn what_is_cut_ends_before_an_operator() {
        assert_eq!(cut_formula("a == 1 && b == 2", 16), ("a == 1 && b == 2".to_string(), false));
        assert_eq!(cut_formula("a == 1 && b == 2", 15), ("a == 1 && …".to_string(), true));
        assert_eq!(cut_formula("a == 1 && (b == 2 || c == 3)", 22), ("a == 1 && …".to_string(), true));
        assert_eq!(cut_formula("a == 1 || b == 2 || c == 3", 20), ("a == 1 || b == 2 || …".to_string(), true));
        assert_eq!(cut_formula("(a == 1 || b == 2)", 12).0, "(a == 1 || …");
    }

    #[test]
    fn long_lines_take_several() {
        let wide = Layout { width: Some(10), color: false, whole: false };
        assert_eq!(lines_on_screen("a\n\n0123456789\n01234567890\n", &wide), 5);
    }
}
