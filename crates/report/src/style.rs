//! Colours, few and quiet. They say nothing that the words do not say too.

use std::fmt::Display;

/// What a piece of text is, for colouring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    /// Good news.
    Good,
    /// Bad news.
    Bad,
    /// No news.
    Unsure,
    /// What the eye may skip.
    Quiet,
}

/// Colours text, or leaves it alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Palette {
    /// Whether there are colours at all.
    pub color: bool,
}

impl Palette {
    /// The text in its colour.
    pub fn paint(self, tone: Tone, text: impl Display) -> String {
        let text = text.to_string();
        if !self.color || text.is_empty() {
            return text;
        }
        let code = match tone {
            Tone::Good => "1;32",
            Tone::Bad => "1;31",
            Tone::Unsure => "1;33",
            Tone::Quiet => "2",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    /// The text in its colour, followed by spaces up to a width.
    pub fn padded(self, tone: Tone, text: &str, width: usize) -> String {
        let spaces = width.saturating_sub(text.chars().count());
        format!("{}{}", self.paint(tone, text), " ".repeat(spaces))
    }
}
