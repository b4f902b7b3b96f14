//! Expressions of a wanted type.

use super::sorts::Sort;
use super::{Generator, Place, Variable, boolean};
use crate::tree::{Expr, binary, name};

impl Generator {
    /// An expression whose value fits into a variable of this type, but for a risk.
    pub(super) fn fitting(&mut self, sort: &Sort, depth: usize) -> Expr {
        if self.risky() && !sort.is_array() {
            return self.expr(&sort.read_as(), depth);
        }
        match sort {
            Sort::Range(lo, hi) => self.fitting_number(*lo, *hi, depth),
            Sort::Int => self.fitting_number(-2, 5, depth),
            // Every value fits: it wraps around.
            Sort::Machine(ty) => self.machine(*ty, depth),
            Sort::Array(..) => self.place(&|of| of == sort, depth, false).unwrap_or(Expr::Star),
            Sort::Set(element) if self.random.percent(40) => self.fitting_literal(element, depth),
            Sort::Copies(_) | Sort::RwLock => self.expr(&Sort::Tid, depth),
            Sort::Bool | Sort::Lock | Sort::Tid | Sort::Mutex | Sort::Enum(_) | Sort::Set(_) => {
                self.expr(&sort.read_as(), depth)
            }
        }
    }

    fn fitting_literal(&mut self, element: &Sort, depth: usize) -> Expr {
        let number = self.random.weighted(&[1, 5, 2]);
        let mut elements = Vec::new();
        for _ in 0..number {
            elements.push(self.fitting(element, depth.saturating_sub(1)));
        }
        Expr::SetLiteral(elements)
    }

    fn fitting_number(&mut self, lo: i64, hi: i64, depth: usize) -> Expr {
        let inside = move |sort: &Sort| matches!(sort, Sort::Range(from, to) if lo <= *from && *to <= hi);
        let choice = if depth == 0 { self.random.below(2) } else { self.random.below(6) };
        match choice {
            1 | 2 => {
                if let Some(place) = self.place(&inside, depth, false) {
                    return place;
                }
            }
            3 if hi.abs_diff(lo) < 1000 && (-1000..1000).contains(&lo) => {
                let rest = binary("%", self.expr(&Sort::Int, depth - 1), Expr::Int(hi - lo + 1));
                return if lo == 0 { rest } else { binary("+", Expr::Int(lo), rest) };
            }
            4 => {
                if let Some(place) =
                    self.place(&|sort| *sort == Sort::Range(lo, hi) || *sort == Sort::Int, depth, false)
                {
                    let test = binary("<", place.clone(), Expr::Int(hi));
                    let next = binary("+", place, Expr::Int(1));
                    return Expr::Conditional(Box::new([test, next, Expr::Int(lo)]));
                }
            }
            5 => {
                let test = self.expr(&Sort::Bool, depth - 1);
                let (yes, no) = (self.fitting_number(lo, hi, depth - 1), self.fitting_number(lo, hi, depth - 1));
                return Expr::Conditional(Box::new([test, yes, no]));
            }
            _ => {}
        }
        let value = self.random.between(lo, hi);
        self.constant_expr(value)
    }

    /// Any expression that is read as this type.
    pub(super) fn expr(&mut self, sort: &Sort, depth: usize) -> Expr {
        if depth > 0 {
            match sort {
                Sort::Bool => return self.condition(depth),
                Sort::Int => return self.number(depth),
                Sort::Machine(ty) => return self.machine(*ty, depth),
                Sort::Set(_) => return self.set(sort, depth),
                Sort::Tid | Sort::Enum(_) if self.random.percent(12) => return self.conditional(sort, depth),
                _ => {}
            }
        }
        let wanted = sort.clone();
        match self.place(&|of| of.read_as() == wanted, depth.min(1), false) {
            Some(place) if self.random.percent(65) => place,
            place => self.literal(sort).or(place).unwrap_or(boolean(true)),
        }
    }

    fn conditional(&mut self, sort: &Sort, depth: usize) -> Expr {
        let test = self.expr(&Sort::Bool, depth - 1);
        let (yes, no) = (self.expr(sort, depth - 1), self.expr(sort, depth - 1));
        Expr::Conditional(Box::new([test, yes, no]))
    }

    pub(super) fn condition(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            return self.expr(&Sort::Bool, 0);
        }
        if self.place == Place::Property
            && self.random.percent(25)
            && let Some(at) = self.at_label()
        {
            return at;
        }
        let of_machine_integers = if self.config.machine { 24 } else { 0 };
        match self.random.weighted(&[8, 8, 16, 10, 6, 4, 14, 20, 6, 4, 8, 2, of_machine_integers]) {
            0 => self.expr(&Sort::Bool, 0),
            1 => Expr::Not(Box::new(self.condition(depth - 1))),
            2 => binary("&&", self.condition(depth - 1), self.condition(depth - 1)),
            3 => binary("||", self.condition(depth - 1), self.condition(depth - 1)),
            4 => binary("==>", self.condition(depth - 1), self.condition(depth - 1)),
            5 => binary("<==>", self.condition(depth - 1), self.condition(depth - 1)),
            6 => self.equation(depth),
            7 => {
                let op = self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
                binary(op, self.number(depth - 1), self.number(depth - 1))
            }
            8 => self.membership(depth),
            9 => self.inclusion(depth),
            10 => self.quantified(depth),
            11 => self.conditional(&Sort::Bool, depth),
            _ => self.machine_comparison(depth),
        }
    }

    /// Equality of anything.
    fn equation(&mut self, depth: usize) -> Expr {
        let op = self.random.pick(&["==", "==", "!="]);
        let Some((left, sort)) = self.place_of_any(depth - 1) else { return boolean(true) };
        let right = match &sort {
            Sort::Array(..) => self.fitting(&sort, 0),
            Sort::Set(element) if self.random.percent(40) => self.fitting_literal(element, depth - 1),
            _ => self.expr(&sort.read_as(), depth - 1),
        };
        let right = if right == Expr::Star { left.clone() } else { right };
        if self.random.percent(20) { binary(op, right, left) } else { binary(op, left, right) }
    }

    fn membership(&mut self, depth: usize) -> Expr {
        let (element, set) = match self.some_set(depth - 1) {
            Some(found) => found,
            // A literal that stands alone spans its own elements.
            None => (Sort::Int, Expr::SetLiteral(vec![Expr::Int(self.random.between(-2, 2)), Expr::Int(0)])),
        };
        binary("in", self.expr(&element.read_as(), depth - 1), set)
    }

    fn inclusion(&mut self, depth: usize) -> Expr {
        let Some((element, set)) = self.some_set(depth - 1) else { return boolean(false) };
        let literal = self.fitting_literal(&element, depth - 1);
        if self.random.percent(50) { binary("subset", literal, set) } else { binary("subset", set, literal) }
    }

    /// A set that is a variable or part of one, and the type of its elements.
    fn some_set(&mut self, depth: usize) -> Option<(Sort, Expr)> {
        let mut element = None;
        let sets: Vec<Sort> = self.sorts_of_places().into_iter().filter(|sort| matches!(sort, Sort::Set(_))).collect();
        let set = if sets.is_empty() { return None } else { self.random.pick(&sets) };
        if let Sort::Set(of) = &set {
            element = Some((**of).clone());
        }
        let place = self.place(&|sort| *sort == set, depth, false)?;
        Some((element?, place))
    }

    pub(super) fn quantified(&mut self, depth: usize) -> Expr {
        let word = self.random.pick(&["forall", "exists"]);
        let (binders, body) = self.bind(depth);
        Expr::Quantified(word, binders, Box::new(body))
    }

    fn bind(&mut self, depth: usize) -> (Vec<(String, crate::tree::Type)>, Expr) {
        let outside = self.scope.len();
        let number = self.random.weighted(&[0, 5, 1]);
        let mut binders = Vec::new();
        for _ in 0..number {
            let sort = self.binder_sort();
            let ty = self.type_of(&sort);
            // A bound variable may hide another one.
            let hides = binders.is_empty() && self.random.percent(20);
            let variable = if hides { "i".to_string() } else { self.fresh_name("i") };
            self.scope.push(Variable { name: variable.clone(), sort, writable: false, shared: false });
            binders.push((variable, ty));
        }
        let body = self.condition(depth - 1);
        self.scope.truncate(outside);
        (binders, body)
    }

    fn binder_sort(&mut self) -> Sort {
        match self.random.weighted(&[if self.place == Place::Property { 12 } else { 3 }, 3, 2, 2]) {
            0 => Sort::Copies(self.random.below(self.threads.len())),
            1 => {
                let lo = self.random.between(-1, 1);
                Sort::Range(lo, lo + self.random.between(0, 2))
            }
            2 => Sort::Tid,
            _ => self.key_sort(),
        }
    }

    pub(super) fn number(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            if self.config.extremes && self.random.percent(4) {
                return Expr::Int(self.extreme());
            }
            return self.expr(&Sort::Int, 0);
        }
        let of_machine_integers = if self.config.machine { 12 } else { 0 };
        match self.random.weighted(&[20, 14, 10, 5, 7, 7, 4, 4, 5, 3, 6, of_machine_integers]) {
            0 => self.expr(&Sort::Int, 0),
            1 => binary("+", self.number(depth - 1), self.number(depth - 1)),
            2 => binary("-", self.number(depth - 1), self.number(depth - 1)),
            3 => binary("*", self.number(depth - 1), Expr::Int(self.random.between(-2, 3))),
            4 => binary("/", self.number(depth - 1), self.divisor(depth - 1)),
            5 => binary("%", self.number(depth - 1), self.divisor(depth - 1)),
            6 => Expr::Unary("-", Box::new(self.number(depth - 1))),
            7 => self.conditional(&Sort::Int, depth),
            8 => match self.some_set(depth - 1) {
                Some((_, set)) => Expr::Function("size", Box::new(set)),
                None => Expr::Function("size", Box::new(Expr::SetLiteral(vec![Expr::Int(1), Expr::Int(0)]))),
            },
            9 => Expr::Function("ord", Box::new(self.expr(&Sort::Tid, 0))),
            10 => {
                let (binders, body) = self.bind(depth);
                Expr::Quantified("count", binders, Box::new(body))
            }
            _ => {
                let ty = self.machine_type_in_use();
                Expr::Function("int", Box::new(self.machine(ty, depth - 1)))
            }
        }
    }

    /// Mostly a constant that is not 0; in properties more often one that may be.
    fn divisor(&mut self, depth: usize) -> Expr {
        let risk = if self.place == Place::Property { 5 + self.risk } else { self.risk };
        match self.random.below(4) {
            _ if self.random.percent(risk) => self.number(depth),
            0 if self.config.extremes => Expr::Int(self.extreme()),
            1 => Expr::Int(self.random.between(-3, -1)),
            _ => Expr::Int(self.random.between(1, 3)),
        }
    }

    fn set(&mut self, sort: &Sort, depth: usize) -> Expr {
        let Sort::Set(element) = sort else { unreachable!("only sets are asked for") };
        match self.random.below(8) {
            0 | 1 => self.fitting_literal(element, depth - 1),
            2 => binary("union", self.expr(sort, depth - 1), self.fitting_literal(element, depth - 1)),
            3 => binary("minus", self.expr(sort, depth - 1), self.fitting_literal(element, depth - 1)),
            4 => binary("inter", self.expr(sort, depth - 1), self.expr(sort, depth - 1)),
            5 => self.conditional(sort, depth),
            _ => self.expr(sort, 0),
        }
    }

    /// `t@L` for a thread or a bound copy.
    pub(super) fn at_label(&mut self) -> Option<Expr> {
        let mut points = Vec::new();
        for (thread, of_thread) in self.threads.iter().enumerate() {
            let copies = self.scope.iter().filter(|v| v.sort == Sort::Copies(thread)).map(|v| v.name.clone());
            let single = (!of_thread.replicated).then(|| of_thread.name.clone());
            for who in copies.chain(single) {
                points.extend(of_thread.labels.iter().map(|label| (who.clone(), label.clone())));
            }
        }
        let points: Vec<_> = points.into_iter().filter(|(who, _)| !self.is_hidden(who)).collect();
        if points.is_empty() {
            return None;
        }
        let (who, label) = self.random.pick(&points);
        let at = Expr::At(Box::new(name(&who)), label);
        Some(if self.random.percent(30) { Expr::Not(Box::new(at)) } else { at })
    }

    /// Whether another variable of the same name is declared further in.
    pub(super) fn is_hidden(&self, variable: &str) -> bool {
        self.scope.iter().filter(|other| other.name == variable).count() > 1
    }
}
