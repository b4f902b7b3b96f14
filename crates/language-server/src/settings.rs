//! What users can set in their editors.

use serde::Deserialize;
use serde_json::Value;

/// Settings, under the name `threadwise` in most editors.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Settings {
    /// Whether to verify files when they are saved.
    pub verify_on_save: bool,
    /// Give up after this many seconds.
    pub timeout: f64,
    /// Further flags of `check`.
    pub arguments: Vec<String>,
    /// Verify files in other languages when they are saved, too, before anybody has asked for it.
    pub other_languages: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { verify_on_save: true, timeout: 30.0, arguments: Vec::new(), other_languages: false }
    }
}

impl Settings {
    /// The settings in what a client sends: there, or under the name of the server. What cannot be understood changes nothing.
    pub(crate) fn updated(&self, sent: &Value) -> Settings {
        let own = sent.get("threadwise").unwrap_or(sent);
        let settings: Option<Settings> = own.is_object().then(|| serde_json::from_value(own.clone()).ok()).flatten();
        let is_sane = |settings: &Settings| settings.timeout.is_finite() && settings.timeout > 0.0;
        settings.filter(is_sane).unwrap_or_else(|| self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_not_understood_changes_nothing() {
        let settings = Settings::default();
        for sent in [json!(null), json!({ "timeout": "long" }), json!({ "timeout": -1 }), json!([1]), json!(7)] {
            assert_eq!(settings.updated(&sent), settings, "{sent}");
        }
        assert_eq!(settings.updated(&json!({ "threadwise": { "timeout": 5 } })).timeout, 5.0);
        assert!(!settings.updated(&json!({ "verifyOnSave": false, "else": 1 })).verify_on_save);
    }
}
