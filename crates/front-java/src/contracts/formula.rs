//! Formulas: expressions of Java without effects, and `==>`, `<==>`, `\tid`, `\old`, `\forall`.

/// An expression, and where it is.
#[derive(Clone, Debug)]
pub(crate) struct Formula {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Number(i64, bool),
    Truth(bool),
    Null,
    This,
    Tid,
    Name(String),
    Old(Box<Formula>),
    Member(Box<Formula>, String),
    Call(Box<Formula>, String, Vec<Formula>),
    Element(Box<Formula>, Box<Formula>),
    /// `!`, `-` or `~`.
    Unary(char, Box<Formula>),
    Binary(&'static str, Box<Formula>, Box<Formula>),
    Choice(Box<[Formula; 3]>),
    /// The type, the variable, the range if there is one, and what holds.
    ForAll(String, String, Option<Box<Formula>>, Box<Formula>),
}

type Read<T> = Result<T, (String, usize)>;

struct Reader<'a> {
    text: &'a str,
    at: usize,
    end: usize,
}

/// Operators by how strongly they bind, the weakest first.
const LEVELS: &[&[&str]] = &[
    &["<==>"],
    &["==>"],
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// All operators, longer ones first, so that `<==>` is not read as `<=`.
const OPERATORS: &[&str] =
    &["<==>", "==>", "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "<", ">", "|", "^", "&", "+", "-", "*", "/", "%"];

/// Reads a formula between two places.
pub(crate) fn parse(text: &str, from: usize, to: usize) -> Read<Formula> {
    let mut reader = Reader { text, at: from, end: to };
    let formula = reader.choice()?;
    match reader.rest().is_empty() {
        true => Ok(formula),
        false => Err(("the formula ends before this".to_string(), reader.at)),
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

impl<'a> Reader<'a> {
    /// What is left, without white space before it, and without the `@` and `*` at the starts of lines of long comments.
    fn rest(&mut self) -> &'a str {
        loop {
            let rest = &self.text[self.at..self.end];
            let trimmed = rest.trim_start();
            let skipped = &rest[..rest.len() - trimmed.len()];
            self.at += skipped.len();
            match trimmed.strip_prefix('@').filter(|_| skipped.contains('\n')) {
                Some(_) => self.at += 1,
                None => return &self.text[self.at..self.end],
            }
        }
    }

    fn eat(&mut self, word: &str) -> bool {
        let is_there = self.rest().starts_with(word);
        self.at += if is_there { word.len() } else { 0 };
        is_there
    }

    fn expect(&mut self, word: &str) -> Read<()> {
        if self.eat(word) { Ok(()) } else { Err((format!("`{word}` is expected here"), self.at)) }
    }

    fn name(&mut self) -> Read<String> {
        let rest = self.rest();
        let name = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(("a name is expected here".to_string(), self.at));
        }
        self.at += name.len();
        Ok(name.to_string())
    }

    fn made(&self, kind: Kind, start: usize) -> Formula {
        Formula { kind, start, end: self.at }
    }

    fn choice(&mut self) -> Read<Formula> {
        let condition = self.binary(0)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let start = condition.start;
        let yes = self.choice()?;
        self.expect(":")?;
        let no = self.choice()?;
        Ok(self.made(Kind::Choice(Box::new([condition, yes, no])), start))
    }

    fn binary(&mut self, level: usize) -> Read<Formula> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        loop {
            let rest = self.rest();
            let found = OPERATORS.iter().find(|operator| rest.starts_with(**operator));
            let Some(&operator) = found.filter(|operator| operators.contains(operator)) else { return Ok(left) };
            self.at += operator.len();
            // What is implied may be an implication.
            let right = self.binary(if operator == "==>" { level } else { level + 1 })?;
            let start = left.start;
            left = self.made(Kind::Binary(operator, Box::new(left), Box::new(right)), start);
        }
    }

    fn unary(&mut self) -> Read<Formula> {
        let rest = self.rest();
        let start = self.at;
        if let Some(sign) = rest.chars().next().filter(|c| matches!(c, '!' | '-' | '~')) {
            self.at += 1;
            let inner = self.unary()?;
            return Ok(self.made(Kind::Unary(sign, Box::new(inner)), start));
        }
        let mut formula = self.primary()?;
        loop {
            if self.eat(".") {
                let name = self.name()?;
                let kind = match self.eat("(") {
                    false => Kind::Member(Box::new(formula), name),
                    true => {
                        let mut args = Vec::new();
                        while !self.eat(")") {
                            if !args.is_empty() {
                                self.expect(",")?;
                            }
                            args.push(self.choice()?);
                        }
                        Kind::Call(Box::new(formula), name, args)
                    }
                };
                formula = self.made(kind, start);
            } else if self.eat("[") {
                let index = self.choice()?;
                self.expect("]")?;
                formula = self.made(Kind::Element(Box::new(formula), Box::new(index)), start);
            } else {
                return Ok(formula);
            }
        }
    }

    fn primary(&mut self) -> Read<Formula> {
        let rest = self.rest();
        let start = self.at;
        if self.eat("\\old") {
            self.expect("(")?;
            let inner = self.choice()?;
            self.expect(")")?;
            return Ok(self.made(Kind::Old(Box::new(inner)), start));
        }
        if self.eat("\\tid") {
            return Ok(self.made(Kind::Tid, start));
        }
        if self.eat("(") {
            let inner = if self.eat("\\forall") { self.for_all(start)? } else { self.choice()? };
            self.expect(")")?;
            return Ok(inner);
        }
        if self.eat("\\forall") {
            return self.for_all(start);
        }
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            return self.number();
        }
        let name = self.name()?;
        let kind = match name.as_str() {
            "true" | "false" => Kind::Truth(name == "true"),
            "null" => Kind::Null,
            "this" => Kind::This,
            _ => Kind::Name(name),
        };
        Ok(self.made(kind, start))
    }

    /// `\forall T x; range; formula`, where the range may be missing.
    fn for_all(&mut self, start: usize) -> Read<Formula> {
        let (ty, name) = (self.name()?, self.name()?);
        self.expect(";")?;
        let first = self.choice()?;
        let (range, body) = match self.eat(";") {
            true => (Some(Box::new(first)), self.choice()?),
            false => (None, first),
        };
        Ok(self.made(Kind::ForAll(ty, name, range, Box::new(body)), start))
    }

    fn number(&mut self) -> Read<Formula> {
        let (rest, start) = (self.rest(), self.at);
        let text = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
        let is_long = text.ends_with(['l', 'L']);
        let digits = text.trim_end_matches(['l', 'L']).replace('_', "");
        let value = match (digits.strip_prefix("0x"), digits.strip_prefix('0')) {
            (Some(digits), _) => i64::from_str_radix(digits, 16),
            (None, Some(digits)) if !digits.is_empty() => i64::from_str_radix(digits, 8),
            (None, _) => digits.parse(),
        };
        let Some(value) = value.ok().filter(|value| is_long || *value <= i64::from(i32::MAX)) else {
            return Err(("this is no number that is known here".to_string(), start));
        };
        self.at += text.len();
        Ok(self.made(Kind::Number(value, is_long), start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(formula: &Formula) -> String {
        match &formula.kind {
            Kind::Number(value, _) => value.to_string(),
            Kind::Truth(value) => value.to_string(),
            Kind::Null => "null".into(),
            Kind::This => "this".into(),
            Kind::Tid => "tid".into(),
            Kind::Name(name) => name.clone(),
            Kind::Old(inner) => format!("old({})", shown(inner)),
            Kind::Member(of, name) => format!("{}.{name}", shown(of)),
            Kind::Call(of, name, args) => {
                format!("{}.{name}({})", shown(of), args.iter().map(shown).collect::<Vec<_>>().join(","))
            }
            Kind::Element(of, index) => format!("{}[{}]", shown(of), shown(index)),
            Kind::Unary(sign, inner) => format!("{sign}{}", shown(inner)),
            Kind::Binary(sign, a, b) => format!("({}{sign}{})", shown(a), shown(b)),
            Kind::Choice(parts) => format!("({}?{}:{})", shown(&parts[0]), shown(&parts[1]), shown(&parts[2])),
            Kind::ForAll(ty, name, range, body) => {
                let range = range.as_ref().map_or(String::new(), |range| shown(range));
                format!("all {ty} {name};{range};{}", shown(body))
            }
        }
    }

    #[test]
    fn operators_bind_as_in_java_and_implications_to_the_right() {
        for (text, expected) in [
            ("a ==> b ==> c || d && !e", "(a==>(b==>(c||(d&&!e))))"),
            ("x + 1 * 2 <= \\old(x) <==> m.holder == \\tid", "(((x+(1*2))<=old(x))<==>(m.holder==tid))"),
            ("(\\forall Thread t; r.contains(t); a[1].b != null)", "all Thread t;r.contains(t);(a[1].b!=null)"),
            ("-x << 3 & 7", "((-x<<3)&7)"),
            ("a ? b : c ? 1L : 0x10", "(a?b:(c?1:16))"),
        ] {
            let read = parse(text, 0, text.len()).expect("it is one");
            assert_eq!(shown(&read), expected);
        }
        for (text, at) in [("a +", 3), ("(a", 2), ("a b", 2), ("99999999999", 0), ("\\forall int; a", 11)] {
            assert_eq!(parse(text, 0, text.len()).expect_err("it is none").1, at, "{text}");
        }
    }
}
