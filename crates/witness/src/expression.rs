//! Constraints of waypoints: expressions of C over variables, evaluated in a state of an execution.

/// The value of an expression; nothing where it is not understood or has none. `value_of` gives the values of variables.
pub fn evaluate(text: &str, value_of: &mut dyn FnMut(&str) -> Option<i64>) -> Option<i64> {
    let mut reader = Reader { tokens: tokens(text)?, at: 0, value_of };
    let value = reader.binary(0)?;
    (reader.at == reader.tokens.len()).then_some(value)
}

/// The integers in an expression.
pub fn constants(text: &str) -> Vec<i64> {
    let number = |token: &Token| match token {
        Token::Number(number) => Some(*number),
        Token::Name(_) | Token::Sign(_) => None,
    };
    let plain: Vec<i64> = tokens(text).unwrap_or_default().iter().filter_map(number).collect();
    plain.iter().flat_map(|&number| [Some(number), number.checked_neg()]).flatten().collect()
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    Number(i64),
    /// A variable, with fields and constant indices: `s.a[2]`.
    Name(String),
    Sign(&'static str),
}

/// Longer signs first.
const SIGNS: [&str; 22] = [
    "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "<", ">", "+", "-", "*", "/", "%", "!", "~", "&", "|", "^", "(",
    ")",
];

/// From the weakest to the strongest.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

fn tokens(text: &str) -> Option<Vec<Token>> {
    let (mut rest, mut tokens) = (text.trim_start(), Vec::new());
    while !rest.is_empty() {
        let is_of_a_word = |c: char| c.is_alphanumeric() || "_.[]\\".contains(c);
        let word = rest.find(|c: char| !is_of_a_word(c)).unwrap_or(rest.len());
        let length = match rest.chars().next()? {
            '0'..='9' => {
                tokens.push(Token::Number(number(&rest[..word])?));
                word
            }
            c if c.is_alphabetic() || c == '_' || c == '\\' => {
                tokens.push(Token::Name(rest[..word].to_string()));
                word
            }
            _ => {
                let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign))?;
                tokens.push(Token::Sign(sign));
                sign.len()
            }
        };
        rest = rest[length..].trim_start();
    }
    Some(tokens)
}

fn number(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => digits.parse().ok(),
    }
}

struct Reader<'a> {
    tokens: Vec<Token>,
    at: usize,
    value_of: &'a mut dyn FnMut(&str) -> Option<i64>,
}

impl Reader<'_> {
    fn sign(&mut self, wanted: &[&str]) -> Option<&'static str> {
        match self.tokens.get(self.at) {
            Some(Token::Sign(sign)) if wanted.contains(sign) => {
                self.at += 1;
                Some(sign)
            }
            _ => None,
        }
    }

    fn binary(&mut self, level: usize) -> Option<i64> {
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(sign) = self.sign(signs) {
            let right = self.binary(level + 1)?;
            left = apply(sign, left, right)?;
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<i64> {
        if let Some(sign) = self.sign(&["-", "+", "!", "~"]) {
            let value = self.unary()?;
            return match sign {
                "-" => value.checked_neg(),
                "!" => Some(i64::from(value == 0)),
                "~" => Some(!value),
                _ => Some(value),
            };
        }
        if self.sign(&["("]).is_some() {
            let value = self.binary(0)?;
            return self.sign(&[")"]).map(|_| value);
        }
        let token = self.tokens.get(self.at)?.clone();
        self.at += 1;
        match token {
            Token::Number(number) => Some(number),
            Token::Name(name) => (self.value_of)(&name),
            Token::Sign(_) => None,
        }
    }
}

fn apply(sign: &str, a: i64, b: i64) -> Option<i64> {
    Some(match sign {
        "||" => i64::from(a != 0 || b != 0),
        "&&" => i64::from(a != 0 && b != 0),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "==" => i64::from(a == b),
        "!=" => i64::from(a != b),
        "<" => i64::from(a < b),
        "<=" => i64::from(a <= b),
        ">" => i64::from(a > b),
        ">=" => i64::from(a >= b),
        "<<" => a.checked_shl(u32::try_from(b).ok()?)?,
        ">>" => a.checked_shr(u32::try_from(b).ok()?)?,
        "+" => a.checked_add(b)?,
        "-" => a.checked_sub(b)?,
        "*" => a.checked_mul(b)?,
        "/" => a.checked_div(b)?,
        "%" => a.checked_rem(b)?,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_have_the_values_that_c_gives_them() {
        let mut value = |name: &str| match name {
            "x" => Some(3),
            "s.a[2]" => Some(-1),
            _ => None,
        };
        let cases = [
            ("x == 3 && s.a[2] < 0", Some(1)),
            ("1 + 2 * x", Some(7)),
            ("-x + 10 % 4", Some(-1)),
            ("!(x > 0x2u) || 0", Some(0)),
            ("~x & 1", Some(0)),
            ("x - 1 - 1", Some(1)),
            ("y == 0", None),
            ("x / 0", None),
            ("x ==", None),
            ("f(x)", None),
            ("1", Some(1)),
        ];
        for (text, expected) in cases {
            assert_eq!(evaluate(text, &mut value), expected, "{text}");
        }
        assert_eq!(constants("\\result == -7"), [7, -7]);
    }
}
