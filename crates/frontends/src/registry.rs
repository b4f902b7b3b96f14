use crate::c::C;
use crate::frontend::Frontend;
use crate::java::Java;
use crate::options::FrontendOption;
use crate::transition_systems::TransitionSystems;
use crate::tw::Tw;
use std::path::Path;

/// All languages. The first is that of files whose names do not tell.
static FRONTENDS: &[&dyn Frontend] = &[&Tw, &TransitionSystems, &C, &Java];

/// All languages.
pub fn frontends() -> &'static [&'static dyn Frontend] {
    FRONTENDS
}

/// The language of a file, by its name.
pub fn frontend_for(path: &Path) -> &'static dyn Frontend {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_meant = |frontend: &&&dyn Frontend| extension.is_some_and(|e| frontend.extensions().contains(&e));
    FRONTENDS.iter().find(is_meant).copied().unwrap_or(FRONTENDS[0])
}

/// The options of all languages, each once.
pub fn all_options() -> Vec<&'static FrontendOption> {
    let mut all: Vec<&'static FrontendOption> = Vec::new();
    for option in FRONTENDS.iter().flat_map(|frontend| frontend.options()) {
        if !all.iter().any(|known| known.long == option.long) {
            all.push(option);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_tell_languages_apart() {
        let all: Vec<&str> = FRONTENDS.iter().flat_map(|frontend| frontend.extensions()).copied().collect();
        let different: std::collections::BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(all.len(), different.len());
        assert_eq!(frontend_for(Path::new("a/b.ts")).noun(), "a transition system");
        for name in ["-", "b.tw", "b", "b.ts.txt", ".ts"] {
            assert_eq!(frontend_for(Path::new(name)).noun(), "a program", "{name}");
        }
    }

    #[test]
    fn an_option_of_another_language_is_refused() {
        let options = crate::with_defines([(&"N".to_string(), &4)]);
        assert_eq!(frontend_for(Path::new("a.tw")).check_options(&options), Ok(()));
        let refusal = frontend_for(Path::new("a.ts")).check_options(&options).expect_err("it has no constants");
        assert_eq!(refusal.message, "-D N=4: a transition system has no constants");
        assert_eq!(refusal.hint, "leave the -D out");
    }
}
