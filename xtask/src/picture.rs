//! Pictures: curves with markers on linear or logarithmic axes, as SVG.
//!
//! Logarithms are taken before plotting, so one kind of coordinates serves all axes.

use anyhow::{Result, anyhow};
use plotters::coord::CoordTranslate;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;

pub enum Axis {
    /// Equal steps.
    Linear(&'static str),
    /// Powers of ten.
    Log(&'static str),
    /// A place for each name.
    Names(Vec<String>),
}

/// How a point is marked.
#[derive(Clone, Copy)]
pub enum Marker {
    Disc,
    Triangle,
    Cross,
    /// Nothing: the line is enough.
    Nothing,
}

/// One tool in a picture.
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// One of [`COLOURS`].
    pub colour: usize,
    /// How its points are marked.
    pub marker: Marker,
    /// Whether a line joins them.
    pub line: bool,
    pub points: Vec<(f64, f64)>,
}

/// A picture in a file of its own.
pub struct Picture {
    /// The file's name, without its extension.
    pub file: String,
    /// What stands above it.
    pub title: String,
    /// From left to right.
    pub x: Axis,
    /// From bottom to top.
    pub y: Axis,
    /// What is drawn.
    pub curves: Vec<Curve>,
}

/// The name of a tool for readers who do not know the engines.
pub fn full_name(tool: &str) -> String {
    if tool == "SPIN" { tool.to_string() } else { format!("threadwise, {tool}") }
}

/// Blue, orange, green, purple, grey: told apart by most eyes, in light and in grey.
pub const COLOURS: [RGBColor; 5] =
    [RGBColor(0, 90, 181), RGBColor(220, 80, 0), RGBColor(0, 130, 90), RGBColor(140, 60, 160), RGBColor(120, 120, 120)];

const SIZE: (u32, u32) = (860, 460);
const LEGEND: u32 = 240;
/// No clock tells less, and zero has no logarithm.
const LEAST: f64 = 0.001;

impl Axis {
    /// Where a value lies.
    fn place(&self, value: f64) -> f64 {
        match self {
            Axis::Log(_) => value.max(LEAST).log10(),
            _ => value,
        }
    }

    fn range(&self, values: impl Iterator<Item = f64>) -> std::ops::Range<f64> {
        if let Axis::Names(names) = self {
            return -0.6..names.len() as f64 - 0.4;
        }
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
        match self {
            Axis::Log(_) => low.floor()..high.ceil().max(low.floor() + 1.0),
            _ => low - 0.4..high + 0.4,
        }
    }

    /// What stands at a mark of the axis; nothing between whole numbers.
    fn label(&self, place: f64) -> String {
        let whole = place.round();
        if (place - whole).abs() > 1e-6 {
            return String::new();
        }
        match self {
            Axis::Linear(_) => format!("{whole}"),
            Axis::Log(_) if whole < 0.0 => format!("{:.*}", -whole as usize, 10f64.powf(whole)),
            Axis::Log(_) if whole > 4.0 => format!("10{}", superscript(whole as usize)),
            Axis::Log(_) => format!("{}", 10f64.powf(whole).round()),
            Axis::Names(names) => names.get(whole as usize).filter(|_| whole >= 0.0).cloned().unwrap_or_default(),
        }
    }

    fn title(&self) -> &str {
        match self {
            Axis::Linear(title) | Axis::Log(title) => title,
            Axis::Names(_) => "",
        }
    }

    /// About how many marks it takes.
    fn marks(&self, range: &std::ops::Range<f64>) -> usize {
        (range.end - range.start).ceil() as usize + 1
    }
}

impl Picture {
    /// The picture as SVG text.
    pub fn svg(&self) -> Result<String> {
        let mut text = String::new();
        self.draw(&mut text).map_err(|error| anyhow!("{}: {error}", self.file))?;
        Ok(text + "\n")
    }

    fn draw(&self, text: &mut String) -> Result<(), Box<dyn std::error::Error + '_>> {
        let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let (chart_area, legend) = root.split_horizontally(SIZE.0 - LEGEND);
        let places = || self.curves.iter().flat_map(|curve| curve.points.iter());
        let x_range = self.x.range(places().map(|(x, _)| self.x.place(*x)));
        let y_range = self.y.range(places().map(|(_, y)| self.y.place(*y)));
        let names_width = if matches!(self.y, Axis::Names(_)) { 150 } else { 64 };
        let mut chart = ChartBuilder::on(&chart_area)
            .caption(&self.title, ("sans-serif", 17))
            .margin(8)
            .x_label_area_size(44)
            .y_label_area_size(names_width)
            .build_cartesian_2d(x_range.clone(), y_range.clone())?;
        chart
            .configure_mesh()
            .x_labels(self.x.marks(&x_range))
            .y_labels(self.y.marks(&y_range))
            .x_label_formatter(&|place| self.x.label(*place))
            .y_label_formatter(&|place| self.y.label(*place))
            .x_desc(self.x.title())
            .y_desc(self.y.title())
            .label_style(("sans-serif", 13))
            .axis_desc_style(("sans-serif", 14))
            .bold_line_style(RGBColor(215, 215, 215))
            .max_light_lines(0)
            .draw()?;
        for (index, curve) in self.curves.iter().enumerate() {
            let colour = COLOURS[curve.colour % COLOURS.len()];
            let points: Vec<_> = curve.points.iter().map(|(x, y)| (self.x.place(*x), self.y.place(*y))).collect();
            if curve.line {
                chart.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?;
            }
            for at in points {
                mark(chart.plotting_area(), at, curve.marker, colour)?;
            }
            let y = 50 + 20 * index as i32;
            if curve.line {
                legend.draw(&PathElement::new(vec![(4, y), (32, y)], colour.stroke_width(2)))?;
            }
            mark(&legend, (18, y), curve.marker, colour)?;
            legend.draw(&Text::new(curve.name.clone(), (38, y - 6), ("sans-serif", 13)))?;
        }
        root.present()?;
        Ok(())
    }
}

/// A number as an exponent.
fn superscript(number: usize) -> String {
    let digit = |digit: char| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit.to_digit(10).unwrap_or(0) as usize);
    number.to_string().chars().filter_map(digit).collect()
}

/// Draws a marker at a place.
fn mark<DB: DrawingBackend, CT: CoordTranslate>(
    area: &DrawingArea<DB, CT>,
    at: CT::From,
    marker: Marker,
    colour: RGBColor,
) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
    match marker {
        Marker::Disc => area.draw(&Circle::new(at, 4, colour.filled())),
        Marker::Triangle => area.draw(&TriangleMarker::new(at, 5, colour.filled())),
        Marker::Cross => area.draw(&Cross::new(at, 4, colour.stroke_width(2))),
        Marker::Nothing => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_a_mark_for_each_point_and_names_its_axes_and_curves() {
        let curve =
            |name: &str, marker, points| Curve { name: name.to_string(), colour: 0, marker, line: true, points };
        let picture = Picture {
            file: "small".to_string(),
            title: "Two tools".to_string(),
            x: Axis::Log("threads"),
            y: Axis::Log("CPU seconds"),
            curves: vec![
                curve("one", Marker::Disc, vec![(2.0, 0.0), (10.0, 0.1), (100.0, 9.0)]),
                curve("other", Marker::Triangle, vec![(2.0, 0.5), (10.0, 50.0)]),
            ],
        };
        let svg = picture.svg().expect("a picture");
        // Three points and two, and one mark each in the legend.
        assert_eq!(svg.matches("<circle").count(), 4);
        assert_eq!(svg.matches("<polygon").count(), 3);
        for text in ["Two tools", "threads", "CPU seconds", "one", "other", "0.001", "100"] {
            assert!(svg.contains(&format!("\n{text}\n")), "{text} is missing:\n{svg}");
        }
        assert_eq!(svg, picture.svg().expect("a picture"), "the same data draws the same picture");
    }

    #[test]
    fn marks_of_logarithmic_axes_are_powers_of_ten() {
        let axis = Axis::Log("seconds");
        assert_eq!(axis.label(-3.0), "0.001");
        assert_eq!(axis.label(2.0), "100");
        assert_eq!(axis.label(12.0), "10¹²");
        assert_eq!(axis.label(0.5), "");
        assert_eq!(axis.range([0.3, 2.2].into_iter()), 0.0..3.0);
    }
}
