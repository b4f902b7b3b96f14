//! Quantile plots: of the tasks that are solved, in the order of their times, how long the n-th takes. Who is further to the right
//! solves more, and who is lower is quicker.

use std::fmt::Write as _;

/// One line of a plot: a name, and times in ascending order.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    pub name: String,
    pub seconds: Vec<f64>,
}

/// Times below this are drawn as this: a clock that is started and stopped says nothing of them.
const LEAST: f64 = 0.01;

/// Colours that people with weak colour vision tell apart, on light and on dark ground.
const COLOURS: [&str; 6] = ["#3b7dd8", "#d9722b", "#2d9d78", "#b0549b", "#8a8a2d", "#7a6fd0"];

const LEFT: f64 = 56.0;
const BOTTOM: f64 = 36.0;
const TOP: f64 = 12.0;
const RIGHT: f64 = 16.0;

/// The plot as SVG. The vertical axis is logarithmic, from a hundredth of a second to `most` seconds; the horizontal one goes to `tasks`.
pub fn quantile_plot(lines: &[Line], tasks: usize, most: f64, (width, height): (u32, u32)) -> String {
    let plot = Plot {
        width: f64::from(width) - LEFT - RIGHT,
        height: f64::from(height) - TOP - BOTTOM,
        tasks: tasks.max(1) as f64,
        decades: (most.max(1.0) / LEAST).log10().ceil(),
    };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" font-family=\"sans-serif\" font-size=\"11\" fill=\"currentColor\">\n<title>Quantile plot</title>\n"
    );
    plot.axes(&mut out);
    for (index, line) in lines.iter().enumerate() {
        plot.line(&mut out, line, COLOURS[index % COLOURS.len()], index);
    }
    out + "</svg>\n"
}

struct Plot {
    width: f64,
    height: f64,
    tasks: f64,
    decades: f64,
}

impl Plot {
    fn x(&self, number: f64) -> f64 {
        LEFT + self.width * number / self.tasks
    }

    fn y(&self, seconds: f64) -> f64 {
        let decades = (seconds.max(LEAST) / LEAST).log10().min(self.decades);
        TOP + self.height * (1.0 - decades / self.decades)
    }

    fn axes(&self, out: &mut String) {
        let (left, right, bottom) = (LEFT, LEFT + self.width, TOP + self.height);
        for decade in 0..=self.decades as i32 {
            let seconds = LEAST * 10_f64.powi(decade);
            let y = self.y(seconds);
            let label =
                if seconds < 1.0 { format!("{seconds:.*}", (2 - decade) as usize) } else { format!("{seconds:.0}") };
            let _ = writeln!(
                out,
                "<path d=\"M{left:.1} {y:.1}H{right:.1}\" stroke=\"currentColor\" stroke-opacity=\"0.2\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label} s</text>",
                left - 6.0,
                y + 4.0
            );
        }
        let _ = writeln!(
            out,
            "<path d=\"M{left:.1} {TOP:.1}V{bottom:.1}H{right:.1}\" stroke=\"currentColor\" fill=\"none\"/>"
        );
        for number in ticks(self.tasks) {
            let x = self.x(number);
            let _ = writeln!(
                out,
                "<path d=\"M{x:.1} {bottom:.1}v4\" stroke=\"currentColor\"/>\
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{number:.0}</text>",
                bottom + 17.0
            );
        }
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">the n-th quickest of the solved</text>",
            left + self.width / 2.0,
            bottom + 32.0
        );
    }

    /// A step for each task: its width is the task, its height the time.
    fn line(&self, out: &mut String, line: &Line, colour: &str, index: usize) {
        let mut path = String::new();
        for (number, &seconds) in line.seconds.iter().enumerate() {
            let (from, to, y) = (self.x(number as f64), self.x(number as f64 + 1.0), self.y(seconds));
            let _ = write!(path, "{}{from:.1} {y:.1}H{to:.1}", if number == 0 { 'M' } else { 'L' });
        }
        let _ = writeln!(out, "<path d=\"{path}\" stroke=\"{colour}\" stroke-width=\"1.5\" fill=\"none\"/>");
        let y = TOP + 12.0 + 15.0 * index as f64;
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{y:.1}\" fill=\"{colour}\">{} ({})</text>",
            LEFT + 8.0,
            crate::page::escaped(&line.name),
            line.seconds.len()
        );
    }
}

/// About five round numbers up to the last one.
fn ticks(most: f64) -> Vec<f64> {
    let rough = (most / 5.0).max(1.0);
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| *step >= rough);
    let step = step.unwrap_or(rough);
    (0..).map(|number| f64::from(number) * step).take_while(|number| *number <= most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_on_the_axis_are_round() {
        assert_eq!(ticks(1.0), [0.0, 1.0]);
        assert_eq!(ticks(23.0), [0.0, 5.0, 10.0, 15.0, 20.0]);
        assert_eq!(ticks(527.0), [0.0, 200.0, 400.0]);
    }

    #[test]
    fn later_is_higher_and_no_lower_than_the_axis() {
        let plot = Plot { width: 100.0, height: 100.0, tasks: 4.0, decades: 4.0 };
        assert_eq!(plot.y(0.0), plot.y(LEAST));
        assert_eq!((plot.y(LEAST), plot.y(100.0), plot.y(1000.0)), (TOP + 100.0, TOP, TOP));
        assert!(plot.y(1.0) > plot.y(2.0));
        assert_eq!((plot.x(0.0), plot.x(4.0)), (LEFT, LEFT + 100.0));
    }

    proptest! {
        #[test]
        fn whatever_is_drawn_is_xml(name in ".{0,12}", mut seconds in proptest::collection::vec(0.0_f64..1e5, 0..20)) {
            prop_assume!(!name.chars().any(|c| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}')));
            seconds.sort_by(f64::total_cmp);
            let text = quantile_plot(&[Line { name: name.clone(), seconds }], 20, 900.0, (400, 300));
            let parsed = roxmltree::Document::parse(&text);
            prop_assert!(parsed.is_ok(), "{:?}: {}", parsed.err(), text);
        }
    }
}
