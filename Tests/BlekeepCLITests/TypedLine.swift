/// A command line as a user types it, and what it must print.
struct TypedLine: Sendable, CustomStringConvertible {
    enum Time {
        /// Before anything polls. The history has one tick.
        case before
        /// While a poller runs.
        case polling
    }

    /// In the shell's syntax, without the program's name.
    let description: String
    /// A part of its output, with `FOLDER` as in the line.
    let expected: String
    /// The exit code; `nil` when it depends on the machine, or on how far the last connection has ended.
    var code: Int32?
    var time = Time.before
    /// Whether it runs until Ctrl-C.
    var isEndless = false

    init(_ line: String, _ expected: String, code: Int32? = 0, _ time: Time = .before, isEndless: Bool = false) {
        description = line
        self.expected = expected
        self.code = code
        self.time = time
        self.isEndless = isEndless
    }

    /// Every command at least once. `FOLDER` stands for a folder for files.
    static let all: [TypedLine] = [
        // Looking around
        .init("scan --timeout 1s", "F0:00:00:00:00:05"), .init("scan --watch --json", "\"rssi\":", isEndless: true),
        .init("devices", "living"), .init("devices --configured --json", "\"alias\":\"living\""),
        .init("info living", "Living Room"), .init("gatt freezer", "Environmental Sensing"),
        .init("adapters", "hci0"),
        // Reading and writing
        .init("read living temperature", "°C"), .init("read living temperature --json", "\"unit\":\"°C\""),
        .init("write F0:00:00:00:00:04 b1e00003-6b65-4570-9a3e-2f0c5d81a7c4 u16:90", "wrote 5a00"),
        .init("notify 00:1B:DC:00:00:03 heart-rate-measurement --count 1", "bpm"),
        // The history, without a poller
        .init("poll --once --csv", "temperature", code: nil),
        .init("poll living --count 1 --json", "\"tick\":1", code: nil),
        .init("status", "not polling", code: 6), .init("values", "living"), .init("why freezer", "freezer"),
        .init("history living temperature", "°C"), .init("history --every 1h", "MEAN"),
        .init("poll \"Living Room\" --once --json", #""device":"living""#, code: nil),
        .init("history --follow --csv", "living", isEndless: true), .init("plot living temperature", "°C"),
        .init("plot living", "living"), .init("history --influx", "ble,device="),
        .init("history --csv --file FOLDER/all.csv", "readings to FOLDER/all.csv"),
        .init("history --json --file FOLDER/all.ndjson", #"{"state":"written","file":"FOLDER/all.ndjson","readings":"#),
        .init("backup FOLDER/none/x", "can't write FOLDER/none/x: there is no such folder", code: 6),
        .init("doctor --report /proc/none/x", "can't write /proc/none/x: No such file", code: 6),
        .init("backup FOLDER/copy.sqlite", "wrote FOLDER/copy.sqlite with "),
        .init("backup FOLDER/copy.sqlite --json", #"{"state":"written","file":"FOLDER/copy.sqlite","readings":"#),
        .init("report", "tick"), .init("fill living", "knows no memory that living could be asked for", code: 2),
        .init("serve --listen 127.0.0.1:0", "127.0.0.1", isEndless: true),
        .init("notices --once", "has no commands", code: 78),
        .init("fleet status", "the configuration has no fleet", code: 78),
        .init("fleet move living attic", "must name several gateways", code: 2),
        .init("fleet adopt", "the configuration has no broker", code: 78),
        .init("fleet init --url http://db", "isn't postgresql://", code: 2),
        .init(
            "fleet invite cellar --url postgresql://localhost:1/blekeep", "localhost:1 refused the connection", code: 6),
        .init("fleet join postgresql://localhost/blekeep", "the URL needs the gateway's name", code: 2),
        .init("fleet apply FOLDER/none.yaml", "Missing expected argument '--to <names>'", code: 2),
        .init("fleet apply FOLDER/none.yaml --to all", "there is no such file", code: 78),
        .init(
            "fleet remove cellar --url postgresql://localhost:1/blekeep", "localhost:1 refused the connection", code: 6),
        .init("fleet rollback --url postgresql://localhost:1/blekeep", "localhost:1 refused the connection", code: 6),
        .init("fleet show --url postgresql://localhost:1/blekeep", "localhost:1 refused the connection", code: 6),
        .init("values --max-age 1h", "living"), .init("status freezer", "freezer", code: 6),
        .init("plot living freezer temperature --json", #""device":"freezer""#),
        .init("history living temperature --every 10m --json", #""every":"10m""#),
        .init("values --json", "\"field\":"), .init("why freezer --json", "\"state\":"),
        // A running poller
        .init("status", "poll runs as process", .polling), .init("status --watch", "living", .polling, isEndless: true),
        .init("values --watch", "living", .polling, isEndless: true), .init("poll-now living", "living", .polling),
        .init("capture living", "each would get the other's answers: run 'blekeep pause living'", code: 75, .polling),
        .init("pause living --for 1h", "living", .polling), .init("resume living", "living", .polling),
        .init("reload", "has read its configuration", .polling),
        .init("poll-now living --json", #""address":"F0:00:00:00:00:01","state":"read"}"#, .polling),
        .init("pause living --for 1h --json", #""state":"paused","until":"2"#, .polling),
        .init("resume living --json", #""state":"resumed"}"#, .polling),
        .init("reload --json", #"{"state":"reloaded"}"#, .polling),
        .init("poll", "is in use by process", code: 75, .polling),
        // Managing devices
        .init("set freezer enabled false", "has the new settings", .polling),
        .init("set freezer enabled true", "has the new settings", .polling),
        .init("set freezer alias cooler", "set alias of freezer to cooler in FOLDER", .polling),
        .init("set cooler living tags cold", "has the new settings", .polling),
        .init("set tag:cold interval 1m --json", #""state":"changed","file":"FOLDER/config.yaml","poller":"#, .polling),
        .init("set living temperature.offset -0.3", "calibration of living to [{name: temperature", .polling),
        .init("set tag:cold key x", "'key' belongs to one device", code: 2, .polling),
        .init("unset tag:cold interval", "removed interval of living", .polling),
        .init("replace living F0:00:00:00:00:04 --force", "reads F0:00:00:00:00:04 now", .polling),
        .init(
            "replace living F0:00:00:00:00:01 --force --json", #""state":"replaced","was":"F0:00:00:00:00:04""#,
            .polling),
        .init("remove cooler", "removed cooler from", .polling),
        .init("remove living --json", #""state":"removed","file":"FOLDER/config.yaml","poller":"#, .polling),
        // Trying out
        .init("capture 00:1B:DC:00:00:03 --recipe none --file FOLDER/c.yaml", "replaced    the address, the name"),
        .init("poll --simulate FOLDER/c.yaml --once", "Heart Rate Measurement", code: nil),
        .init("capture freezer --file FOLDER/d.yaml --json", #""file":"FOLDER/d.yaml","address":"C0:00"#),
        .init("capture freezer --file FOLDER/d.yaml", "can't write FOLDER/d.yaml: it exists already", code: 6),
        // Setting up
        .init("pair F0:00:00:00:00:05", "is paired\nnext: blekeep add F0:00:00:00:00:05"),
        .init("pair F0:00:00:00:00:05 --json", #""state":"paired","was_paired":true}"#),
        .init("forget F0:00:00:00:00:05", "removed"),
        .init("add F0:00:00:00:00:04 --alias probe --print", "alias: \"probe\""),
        .init("add F0:00:00:00:00:04 --alias probe --print --json", #""state":"printed","configuration":"#),
        .init("add --format ruvi --all", "did you mean 'ruuvi'?", code: 2),
        .init("add F0:00:00:00:00:04 --alias probe", "leave out -c and BLEKEEP_CONFIG", code: 2),
        .init("config show --json", "\"devices\""), .init("doctor --report FOLDER/report.txt", "bus", code: nil),
        .init("config check", "good, 2 devices"), .init("config check --json", #""state":"good","files":["FOLDER"#),
        .init(
            "config check -c FOLDER/all.csv --json", #"{"state":"bad","mistakes":[{"file":"FOLDER/all.csv","line":"#,
            code: 78),
        .init("config show", "living"),
        .init("config init --print", "devices:"), .init("config init --print --json", #""state":"printed""#),
        .init("config init -c FOLDER/first.yaml --json", #"{"state":"written","file":"FOLDER/first.yaml"}"#),
        .init("doctor", "hci0", code: nil), .init("completions bash", "complete"), .init("manual", ".TH"),
        .init("version", "blekeep"),
        // Trying out
        .init("simulate -- echo hello", "hello"), .init("simulate", "DBUS_SYSTEM_BUS_ADDRESS=", isEndless: true),
        .init("simulate --gateways 2 -- sh -c 'echo hello $BLEKEEP_GATEWAY'", "hello gateway-2"),
        .init("recipes", "miflora"), .init("recipes list --json", "\"recipe\":\"jbd\""),
        .init("recipes show lywsd03mmc", "- name: lywsd03mmc"),
        .init("decode --recipe lywsd03mmc d4082ed60b", "22.60 °C"),
        .init("decode 2a6e 4e09", "23.82 °C"), .init("decode 2a19 57 --json", "\"value\":87"),
    ]
}
