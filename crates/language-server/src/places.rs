//! Names of files as editors give them: `file:///home/a%20b.tw`.

use crate::lsp::Uri;
use std::path::{Path, PathBuf};

/// The file that is meant; nothing for documents that are in no file.
pub(crate) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.0.strip_prefix("file://")?;
    let path = match rest.find('/') {
        Some(0) => rest,
        // A host; the only one that has our files is this one.
        Some(slash) if &rest[..slash] == "localhost" => &rest[slash..],
        _ => return None,
    };
    let decoded = String::from_utf8(decoded(path)).ok()?;
    // `/c:/a` is `c:/a` where drives have letters.
    let has_drive = decoded.as_bytes().get(2) == Some(&b':') && cfg!(windows);
    Some(PathBuf::from(if has_drive { &decoded[1..] } else { &decoded }))
}

fn decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    out
}

/// The name of a file for editors.
pub(crate) fn uri_of(path: &Path) -> Uri {
    let text = path.to_string_lossy().replace('\\', "/");
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~:".contains(&byte);
    let encoded: String = text
        .bytes()
        .map(|byte| if is_plain(byte) { (byte as char).to_string() } else { format!("%{byte:02X}") })
        .collect();
    let slash = if encoded.starts_with('/') { "" } else { "/" };
    Uri(format!("file://{slash}{encoded}"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn documents_that_are_in_no_file_have_no_path() {
        for name in ["untitled:Untitled-1", "http://host/a.tw", "file://elsewhere/a.tw", "file:", ""] {
            assert_eq!(path_of(&Uri(name.to_string())), None, "{name}");
        }
        assert_eq!(path_of(&Uri("file:///a%20b/%C3%A9%2.tw".into())), Some(PathBuf::from("/a b/é%2.tw")));
        assert_eq!(path_of(&Uri("file://localhost/a.tw".into())), Some(PathBuf::from("/a.tw")));
    }

    proptest! {
        #[test]
        fn paths_are_found_again(path in "(/[^/\\x00\\\\]{1,9}){1,4}") {
            prop_assert_eq!(path_of(&uri_of(Path::new(&path))), Some(PathBuf::from(path)));
        }
    }
}
