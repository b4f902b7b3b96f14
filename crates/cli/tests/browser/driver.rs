//! A real browser, led by the WebDriver protocol: JSON over HTTP, to a driver on this machine.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A browser that does not answer for so long has broken down.
const PATIENCE: Duration = Duration::from_secs(180);

/// Browsers are large, so there is one at a time.
static TURN: Mutex<()> = Mutex::new(());

/// The name of an element's handle in the protocol.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser with one window; it ends with the test.
pub struct Browser {
    driver: Child,
    _turn: MutexGuard<'static, ()>,
    port: u16,
    session: String,
    profile: PathBuf,
}

/// A browser, or a message and nothing where there is none. Where `THREADWISE_BROWSER=required` is set, there must be one.
pub fn browser(name: &str) -> Option<Browser> {
    let Some(driver) = found("chromedriver") else {
        let message = "no `chromedriver` on the PATH: pages are not tested in a browser; `.ci/browser` installs one";
        assert_ne!(std::env::var("THREADWISE_BROWSER").as_deref(), Ok("required"), "{message}");
        eprintln!("skipped: {message}");
        return None;
    };
    Some(Browser::start(&driver, name))
}

fn found(program: &str) -> Option<PathBuf> {
    let directories = std::env::var_os("PATH")?;
    std::env::split_paths(&directories).map(|directory| directory.join(program)).find(|path| path.is_file())
}

impl Browser {
    fn start(driver: &Path, name: &str) -> Browser {
        // A test that failed has left nothing behind that others could stumble over.
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut child = Command::new(driver)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the driver starts");
        let port = port_of(&mut child);
        let profile = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("browser-{name}"));
        let _ = std::fs::remove_dir_all(&profile);
        let mut browser = Browser { driver: child, _turn: turn, port, session: String::new(), profile };
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
            "--force-device-scale-factor=1",
            "--window-size=1440,1060",
        ];
        let mut arguments: Vec<String> = arguments.map(str::to_string).into();
        arguments.push(format!("--user-data-dir={}", browser.profile.display()));
        let options = json!({ "goog:chromeOptions": { "args": arguments }, "goog:loggingPrefs": { "browser": "ALL" } });
        let made = browser.ask("POST", "", json!({ "capabilities": { "alwaysMatch": options } }));
        browser.session = made["sessionId"].as_str().expect("a session").to_string();
        browser
    }

    fn ask(&self, method: &str, path: &str, body: Value) -> Value {
        let value = self.send(method, path, body).expect("the driver answers in time");
        assert!(value["error"].is_null(), "{method} {path}: {value}");
        value
    }

    fn send(&self, method: &str, path: &str, body: Value) -> std::io::Result<Value> {
        let path = match self.session.as_str() {
            "" => "/session".to_string(),
            session => format!("/session/{session}{path}"),
        };
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let length = body.len();
        let head = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n");
        write!(stream, "{head}Content-Type: application/json\r\nConnection: close\r\n\r\n{body}")?;
        Ok(answer(stream)?["value"].take())
    }

    /// Opens a file, at the place that `hash` names.
    pub fn open(&self, file: &Path, hash: &str) {
        // What differs in its hash only is not loaded again.
        self.ask("POST", "/url", json!({ "url": "about:blank" }));
        self.ask("POST", "/url", json!({ "url": format!("file://{}{hash}", file.display()) }));
    }

    /// The value of an expression.
    pub fn eval(&self, expression: &str) -> Value {
        self.ask("POST", "/execute/sync", json!({ "script": format!("return {expression};"), "args": [] }))
    }

    /// The text of the first element that a selector finds, as soon as there is one: what a link leads to is shown a
    /// moment after the click.
    pub fn text(&self, selector: &str) -> String {
        let script = format!("(document.querySelector({}) || {{}}).textContent", json!(selector));
        let patient_until = Instant::now() + PATIENCE;
        loop {
            match self.eval(&script).as_str() {
                Some(text) => return text.to_string(),
                None => assert!(Instant::now() < patient_until, "nothing is {selector}"),
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The texts of all elements that a selector finds.
    pub fn texts(&self, selector: &str) -> Vec<String> {
        let script = format!("[...document.querySelectorAll({})].map((e) => e.textContent)", json!(selector));
        serde_json::from_value(self.eval(&script)).expect("a list of texts")
    }

    fn element(&self, selector: &str) -> String {
        let found = self.ask("POST", "/element", json!({ "using": "css selector", "value": selector }));
        found[ELEMENT].as_str().expect("an element").to_string()
    }

    /// Clicks on an element, as a mouse does.
    pub fn click(&self, selector: &str) {
        let element = self.element(selector);
        self.ask("POST", &format!("/element/{element}/click"), json!({}));
    }

    /// Types into an element.
    pub fn type_into(&self, selector: &str, text: &str) {
        let element = self.element(selector);
        self.ask("POST", &format!("/element/{element}/value"), json!({ "text": text }));
    }

    /// Presses a key, by its number in the protocol, wherever the focus is.
    pub fn press(&self, key: char) {
        let key = key.to_string();
        let actions = json!([{ "type": "keyDown", "value": key }, { "type": "keyUp", "value": key }]);
        self.ask("POST", "/actions", json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": actions }] }));
    }

    /// Has the page drawn for this colour scheme: `dark` or `light`.
    pub fn colours(&self, scheme: &str) {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.ask("POST", "/goog/cdp/execute", json!({ "cmd": "Emulation.setEmulatedMedia", "params": features }));
    }

    /// Has the page laid out as on a sheet of paper that is so many pixels wide.
    pub fn paper(&self, width: u32) {
        let size = json!({ "width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": false });
        for (cmd, params) in
            [("Emulation.setDeviceMetricsOverride", size), ("Emulation.setEmulatedMedia", json!({ "media": "print" }))]
        {
            self.ask("POST", "/goog/cdp/execute", json!({ "cmd": cmd, "params": params }));
        }
    }

    /// The page as a picture.
    pub fn picture(&self) -> Vec<u8> {
        decoded(self.ask("GET", "/screenshot", Value::Null).as_str().expect("a picture"))
    }

    /// What the browser complains about: errors of scripts, loads that were refused.
    pub fn complaints(&self) -> Vec<String> {
        let log = self.ask("POST", "/se/log", json!({ "type": "browser" }));
        log.as_array().expect("a log").iter().map(|entry| entry["message"].to_string()).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            // The driver has to end in any case.
            let _ = self.send("DELETE", "", Value::Null);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

/// The body of an answer. The driver leaves connections open, so that only the head tells how long it is.
fn answer(stream: TcpStream) -> std::io::Result<Value> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let (name, value) = line.trim_end().split_once(':').unwrap_or((line.trim_end(), ""));
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().expect("a length");
        }
        if name.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}

/// The driver chooses a port and says which.
fn port_of(driver: &mut Child) -> u16 {
    let mut lines = BufReader::new(driver.stdout.take().expect("standard output is a pipe")).lines();
    let line = lines.by_ref().map_while(Result::ok).find(|line| line.contains("started successfully on port"));
    let line = line.expect("the driver says that it has started");
    // It must not find its standard output closed.
    std::thread::spawn(move || lines.for_each(drop));
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    digits.parse().expect("a port")
}

/// The bytes of base64.
fn decoded(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits: Vec<u32> = text.bytes().filter_map(digit).map(u32::from).collect();
    let mut bytes = Vec::new();
    for group in digits.chunks(4) {
        let word = group.iter().fold(0, |word, digit| word << 6 | digit) << (6 * (4 - group.len()));
        bytes.extend_from_slice(&word.to_be_bytes()[1..group.len()]);
    }
    bytes
}
