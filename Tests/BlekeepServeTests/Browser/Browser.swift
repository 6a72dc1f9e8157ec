import BusBench
import Foundation
import Glibc
import Testing

/// A window of an invisible Chromium, which chromedriver drives (WebDriver).
final class Browser {
    private let driver: pid_t
    private let output: Int32
    private let port: UInt16
    private var session = ""

    private static let program = "/usr/bin/chromedriver"
    /// Whether the Debian packages chromium and chromium-driver are there.
    static let isInstalled = [program, "/usr/bin/chromium"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    static let missing: Comment = "needs the packages chromium and chromium-driver"

    init(width: Int = 1280, isDark: Bool = false, hasScript: Bool = true) throws {
        let pipe = try ChildProcess.Pipe()
        let null = Glibc.open("/dev/null", O_RDWR | O_CLOEXEC)
        driver = try ChildProcess.spawn([Self.program, "--port=0"], null, pipe.write)
        // A driver that ends is the end of its output.
        for descriptor in [null, pipe.write] { close(descriptor) }
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(pipe.read, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        output = pipe.read
        port = try Self.port(output)
        let options: [String: Any] = [
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=\(width),900"]
        ]
        let capabilities: [String: Any] = [
            "goog:chromeOptions": options, "goog:loggingPrefs": ["browser": "ALL", "performance": "ALL"],
        ]
        let made = try call("POST", "/session", ["capabilities": ["alwaysMatch": capabilities]]) as? [String: Any]
        session = "/session/" + (try #require(made?["sessionId"] as? String))
        try command(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false])
        let scheme = ["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]
        try command("Emulation.setEmulatedMedia", ["features": [scheme]])
        if !hasScript { try command("Emulation.setScriptExecutionDisabled", ["value": true]) }
    }

    deinit {
        // Chromium is in its process group.
        kill(-driver, SIGKILL)
        waitpid(driver, nil, 0)
        close(output)
    }

    private static func port(_ output: Int32) throws -> UInt16 {
        var text = ""
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1 {
            text.unicodeScalars.append(Unicode.Scalar(byte))
            guard byte == UInt8(ascii: "\n") else { continue }
            if let found = text.firstMatch(of: /started successfully on port (\d+)/) {
                return try #require(UInt16(found.1))
            }
        }
        throw WebDriverError(message: "chromedriver doesn't start: \(text)")
    }

    // MARK: WebDriver

    private func call(_ method: String, _ path: String, _ body: [String: Any] = [:]) throws -> Any? {
        let data = try JSONSerialization.data(withJSONObject: body)
        let client = try Client(port: port)
        client.write(
            "\(method) \(session)\(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(data.count)\r\n\r\n"
                + String(decoding: data, as: UTF8.self))
        let object = try JSONSerialization.jsonObject(with: Data(client.body())) as? [String: Any]
        let value = object?["value"]
        if let failure = value as? [String: Any], let message = failure["message"] as? String, failure["error"] != nil {
            throw WebDriverError(message: "\(path): \(message)")
        }
        return value
    }

    /// A command of the DevTools protocol.
    @discardableResult func command(_ name: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        try call("POST", "/goog/cdp/execute", ["cmd": name, "params": parameters]) as? [String: Any] ?? [:]
    }

    // MARK: Input

    /// A place in the window, in pixels.
    typealias Place = (x: Double, y: Double)

    /// Returns a place in the first element that a selector finds, by its share of the width, 40 px below its top.
    func place(in selector: String, at share: Double) throws -> Place {
        let box = try run(
            "const e = document.querySelector('\(selector)'); e.scrollIntoView({ block: 'center' }); "
                + "const b = e.getBoundingClientRect(); return [b.left, b.top, b.width]")
        let numbers = try #require(box as? [NSNumber]).map(\.doubleValue)
        return (numbers[0] + share * numbers[2], numbers[1] + 40)
    }

    /// Moves the mouse, pressed from the first place to the last one if there are several.
    func drag(_ places: [Place]) throws {
        for (index, place) in places.enumerated() {
            var event: [String: Any] = ["type": "mouseMoved", "x": place.x, "y": place.y]
            if places.count > 1, index > 0 { event["buttons"] = 1 }
            if places.count > 1, index > 0 { event["button"] = "left" }
            try command("Input.dispatchMouseEvent", event)
            guard places.count > 1, index == 0 || index == places.count - 1 else { continue }
            event = ["type": "mousePressed", "x": place.x, "y": place.y, "button": "left", "clickCount": 1]
            if index > 0 { event["type"] = "mouseReleased" }
            try command("Input.dispatchMouseEvent", event)
        }
    }

    /// Touches with fingers that move; each step has the places of all fingers.
    func touch(_ steps: [[Place]]) throws {
        try command("Emulation.setTouchEmulationEnabled", ["enabled": true, "maxTouchPoints": 2])
        for (index, fingers) in steps.enumerated() {
            let points = fingers.enumerated().map { ["x": $1.x, "y": $1.y, "id": $0] as [String: Any] }
            try command(
                "Input.dispatchTouchEvent", ["type": index == 0 ? "touchStart" : "touchMove", "touchPoints": points])
        }
        try command("Input.dispatchTouchEvent", ["type": "touchEnd", "touchPoints": [Any]()])
    }

    /// - Parameter modifiers: 8 for Shift.
    func press(_ key: String, modifiers: Int = 0) throws {
        var event: [String: Any] = ["type": "keyDown", "key": key, "modifiers": modifiers]
        if key.utf8.count == 1 { event["text"] = key }
        try command("Input.dispatchKeyEvent", event)
        event["type"] = "keyUp"
        event["text"] = nil
        try command("Input.dispatchKeyEvent", event)
    }

    func open(_ url: String) throws { _ = try call("POST", "/url", ["url": url]) }

    /// Runs the body of a function in the page.
    @discardableResult func run(_ script: String) throws -> Any? {
        try call("POST", "/execute/sync", ["script": script, "args": [String]()])
    }

    func text(_ script: String) throws -> String? { try run("return \(script)") as? String }

    /// Waits until an expression is true in the page.
    func wait(for expression: String, seconds: Double = 20) throws {
        let end = Date(timeIntervalSinceNow: seconds)
        while try run("return !!(\(expression))") as? Bool != true {
            guard Date() < end else {
                throw WebDriverError(message: "not so within \(seconds) s: \(expression)")
            }
            usleep(20_000)
        }
    }

    // MARK: What went wrong

    /// Expects no error in the console, and no request that failed or left the server.
    func expectClean(_ server: ServerProcess, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let console = try log("browser").compactMap { $0["message"] as? String }
        #expect(console.isEmpty, sourceLocation: sourceLocation)
        var urls: [String] = []
        for entry in try log("performance") {
            let text = try #require(entry["message"] as? String)
            let outer = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            let message = outer?["message"] as? [String: Any]
            let event = message?["params"] as? [String: Any]
            switch message?["method"] as? String {
            case "Network.requestWillBeSent":
                urls.append((event?["request"] as? [String: Any])?["url"] as? String ?? "?")
            case "Network.responseReceived":
                let status = (event?["response"] as? [String: Any])?["status"] as? Int ?? 0
                #expect(status < 400, "\(text)", sourceLocation: sourceLocation)
            case "Network.loadingFailed":
                // A page that is left cancels its requests.
                #expect(event?["canceled"] as? Bool == true, "\(text)", sourceLocation: sourceLocation)
            default: break
            }
        }
        let own = "http://127.0.0.1:\(server.port)/"
        // Chromium draws parts of forms from addresses with the data in them.
        let foreign = urls.filter { !$0.hasPrefix(own) && !$0.hasPrefix("data:") }
        #expect(!urls.isEmpty && foreign.isEmpty, "\(foreign)", sourceLocation: sourceLocation)
    }

    private func log(_ kind: String) throws -> [[String: Any]] {
        try call("POST", "/se/log", ["type": kind]) as? [[String: Any]] ?? []
    }
}

struct WebDriverError: Error, CustomStringConvertible {
    let message: String
    var description: String { message }
}
