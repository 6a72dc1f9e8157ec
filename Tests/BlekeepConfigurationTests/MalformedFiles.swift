import Testing

/// A text with mistakes, and the expected messages.
struct MalformedFile: Sendable, CustomTestStringConvertible {
    var text: String
    var problems: [String]

    var testDescription: String { text.debugDescription }
}

enum MalformedFiles {
    static let all = top + devices + points + syntax + values + rhythms + details + layouts

    static let device = "devices:\n  - address: F0:00:00:00:00:01\n    "
    static let point = "\(device)characteristics:\n      - "

    private static let top: [MalformedFile] = [
        bad("adaptor: hci0", "1:1: a configuration has no key `adaptor`; did you mean `adapter`?"),
        bad(
            "colour: red",
            "1:1: a configuration has no key `colour`; it has `adapter`, `gateway`, `interval`, `throttle`, `scan`, `max_links`, `history`, "
                + "`power`, `on_stop`, `recovery`, `sinks`, `metrics`, `rules`, `notices`, `tags`, `devices`, `layouts`, `recipes`"
        ),
        bad("Interval: 30s", "1:1: a configuration has no key `Interval`; did you mean `interval`?"),
        bad("- interval: 30s", "1:1: a configuration is written as keys with values, such as `adapter: …`"),
        bad("hello", "1:1: a configuration is written as keys with values, such as `adapter: …`"),
        bad(
            "[1]: 2",
            "1:1: a key is a word; a configuration has `adapter`, `gateway`, `interval`, `throttle`, `scan`, `max_links`, `history`, `power`, "
                + "`on_stop`, `recovery`, `sinks`, `metrics`, `rules`, `notices`, `tags`, `devices`, `layouts`, `recipes`"
        ),
        bad("<<: {interval: 30s}", "1:1: blekeep doesn't read merge keys (`<<`); write the keys instead"),
        bad("interval:", "1:1: `interval` has no value; write a duration such as 30s, or remove the line"),
        bad("interval: null", "1:1: `interval` has no value; write a duration such as 30s, or remove the line"),
        bad("interval: 3", "1:11: `interval` is `3`; it can be from 5s to 1d"),
        bad("interval: .nan", "1:11: `interval` is `.nan`; say a whole number and a unit, such as 30s"),
        bad("interval: NaN", "1:11: `interval` is `NaN`; say a whole number and a unit, such as 30s"),
        bad("interval: -30s", "1:11: `interval` is `-30s`; say a whole number and a unit, such as 30s"),
        bad("interval: ''", "1:11: `interval` is ``; say a duration, such as 30s"),
        bad("interval: 4s", "1:11: `interval` is `4s`; it can be from 5s to 1d"),
        bad("interval: 4999ms", "1:11: `interval` is `4999ms`; it can be from 5s to 1d"),
        bad("interval: 0s", "1:11: `interval` is `0s`; it can be from 5s to 1d"),
        bad("interval: 25h", "1:11: `interval` is `25h`; it can be from 5s to 1d"),
        bad("interval: 86400001ms", "1:11: `interval` is `86400001ms`; it can be from 5s to 1d"),
        bad(
            "interval: 99999999999999999999d",
            "1:11: `interval` is `99999999999999999999d`; that is too long a time; say less"),
        bad("interval: [30s]", "1:11: `interval` is a duration such as 30s, not a list or keys"),
        bad("interval: {seconds: 30}", "1:11: `interval` is a duration such as 30s, not a list or keys"),
        bad("interval: !soon 30s", "1:11: tags such as `!soon` have no meaning here; remove it"),
        bad("interval: 30s\n\ninterval: 30s", "3:1: the key `interval` is set already in line 1; keep one"),
        bad(
            "interval: 30s\n# x\ninterval: 31s\ninterval: 32s",
            "3:1: the key `interval` is set already in line 1; keep one",
            "4:1: the key `interval` is set already in line 1; keep one"),
        bad("{interval: 30s, interval: 30s}", "1:17: the key `interval` is set already in line 1; keep one"),
        bad("\"interval\": 30s\n\"interval\": 30s", "1:1: the key `interval` occurs twice; keep one"),
        bad("max_links: five", "1:12: `max_links` is `five`; write a whole number from 1 to 64"),
        bad("max_links: 0", "1:12: `max_links` is `0`; write a whole number from 1 to 64"),
        bad("max_links: 2.5", "1:12: `max_links` is `2.5`; write a whole number from 1 to 64"),
        bad("max_links: \"5\"", "1:12: `max_links` is `5`; write a whole number from 1 to 64"),
        bad("max_links: .nan", "1:12: `max_links` is `.nan`; write a whole number from 1 to 64"),
        bad(
            "max_links: 99999999999999999999",
            "1:12: `max_links` is `99999999999999999999`; write a whole number from 1 to 64"),
        bad("history: history.sqlite", "1:10: `history.sqlite` isn't an absolute path of a file; \(path)"),
        bad("history: /var/lib/", "1:10: `/var/lib/` isn't an absolute path of a file; \(path)"),
        bad("history: \"/a\\0b\"", "1:10: `/a\\u{0}b` isn't an absolute path of a file; \(path)"),
        bad("adapter: eth0", "1:10: `eth0` isn't an adapter; write its address, or its name such as hci0"),
        bad("adapter: 00:1A", "1:10: `00:1A` isn't an adapter; write its address, or its name such as hci0"),
        bad("devices: greenhouse", "1:10: `devices` is a list of devices, each on a line that starts with `- `"),
        bad("devices:\n  greenhouse: x", "2:3: `devices` is a list of devices, each on a line that starts with `- `"),
    ]

    private static let path = "write one such as /var/lib/blekeep/history.sqlite"

    private static let devices: [MalformedFile] = [
        bad("devices:\n  - greenhouse", "2:5: a device is written as keys with values, such as `address: …`"),
        bad("devices:\n  -", "2:4: a device is written as keys with values, such as `address: …`"),
        bad(
            "devices: [{alias: x}]", "1:11: a device needs an `address`; add one, such as `address: F0:00:00:00:00:01`"),
        bad(
            "devices: [{address: }]",
            "1:12: `address` has no value; write an address such as F0:00:00:00:00:01, or remove the line"),
        bad("devices:\n  - address: F0:00:00:00:00", "2:14: `F0:00:00:00:00` isn't an address; \(pairs)"),
        bad("devices:\n  - address: 12", "2:14: `12` isn't an address; \(pairs)"),
        bad("devices:\n  - address: F0:00:00:00:00:01:02", "2:14: `F0:00:00:00:00:01:02` isn't an address; \(pairs)"),
        bad("\(device)alias: \"\"", "3:12: the alias `` is empty; write a name, or remove the line"),
        bad(
            "\(device)alias: \"a\\nb\"", "3:12: the alias `a\\u{A}b` has invisible characters; remove them"),
        bad(
            "\(device)alias: \"a\u{202E}b\"",
            "3:12: the alias `a\\u{202E}b` has invisible characters; remove them"),
        bad(
            "\(device)alias: a/b",
            "3:12: the alias `a/b` holds a /, which separates the parts of MQTT topics; leave it out"),
        bad(
            "\(device)alias: a+b",
            "3:12: the alias `a+b` holds a +, which is a wildcard in MQTT topics; leave it out"),
        bad(
            "\(device)alias: --all",
            "3:12: the alias `--all` looks like an option; write a letter or a digit before the -"),
        bad(
            "\(device)alias: tag:x", "3:12: the alias `tag:x` looks like a group of devices; write another beginning"),
        bad(
            "\(device)tags: [a b, '', -x, a, a]",
            "3:12: the tag `a b` can have letters, digits, `_`, `-` and `.`; leave out the rest",
            "3:17: the tag `` is empty; write a word",
            "3:21: the tag `-x` starts with a -; write a letter or a digit before it",
            "3:28: the tag `a` is listed already; keep one"),
        bad("\(device)tags: cellar", "3:11: `tags` is a list of tags, each on a line that starts with `- `"),
        bad("\(device)enabled: no", "3:14: `enabled` is `no`; write true or false"),
        bad(
            "\(device)characteristics: [{uuid: 2a6e, factor: 0}]",
            "3:44: a `factor` of 0 makes all values equal; write another one"),
        bad(
            "\(device)characteristics: [{uuid: 2a6e, offset: warm}]",
            "3:44: `offset` is `warm`; write a number such as 0.01 or -40"),
        bad("\(device)alais: a", "3:5: a device has no key `alais`; did you mean `alias`?"),
        bad("\(device)alias: ' a'", "3:12: the alias ` a` starts or ends with a space; remove it"),
        bad(
            "\(device)alias: F0:00:00:00:00:02",
            "3:12: the alias `F0:00:00:00:00:02` looks like an address; write a name"
        ),
        bad("\(device)alias: all", "3:12: the alias `all` means all devices; write another name"),
        bad("\(device)alias: [a]", "3:12: `alias` is a name for the device, not a list or keys"),
        bad(
            "\(device)alias: \(String(repeating: "x", count: 65))",
            "3:12: the alias `\(String(repeating: "x", count: 40))…` is longer than 64 characters; shorten it"),
        bad("\(device)mode: holt", "3:11: `holt` isn't a mode; did you mean `hold`?"),
        bad("\(device)mode: pasive", "3:11: `pasive` isn't a mode; did you mean `passive`?"),
        bad("\(device)key: attic", "3:5: `key` has no effect without `mode: passive`"),
        bad(
            "\(device)mode: passive\n    key: 231d39c1d7cc1ab1aee224cd096db932",
            "4:10: don't write keys in a configuration; put the key into a file or a systemd credential, and name it here"
        ),
        bad(
            "\(device)mode: passive\n    key: a/b",
            "4:10: `a/b` is neither the whole path of a file nor a credential's name"),
        bad(
            "\(device)mode: passive\n    characteristics: [2a6e]",
            "4:5: a passive device is never connected, so it has no `characteristics`"),
        bad("\(device)mode: 7", "3:11: `7` isn't a mode; write auto, hold, release, heard or passive"),
        bad("\(device)interval: 1s", "3:15: `interval` is `1s`; it can be from 5s to 1d"),
        bad("\(device)intreval: 60s", "3:5: a device has no key `intreval`; did you mean `interval`?"),
        bad("\(device)address: F0:00:00:00:00:02", "3:5: the key `address` is set already in line 2; keep one"),
        bad("\(device)adapter: 5", "3:14: `5` isn't an adapter; write its address, or its name such as hci0"),
        bad(
            "\(device)\n  - address: f0_00_00_00_00_01",
            "4:14: the device F0:00:00:00:00:01 is configured already at f:2:14; keep one"),
        bad(
            "\(device)alias: a\n  - alias: a\n    address: F0:00:00:00:00:02",
            "4:12: the alias `a` is taken already at f:3:12; choose another"),
    ]

    private static let pairs = "write six pairs of hex digits, such as F0:00:00:00:00:01"

    private static let points: [MalformedFile] = [
        bad(
            "\(device)characteristics: temperature",
            "3:22: `characteristics` is a list of characteristics, each on a line that starts with `- `"),
        bad("\(point)warmth", "4:9: no characteristic is called `warmth`; give its UUID, such as 2a6e"),
        bad("\(point)humidty", "4:9: no characteristic is called `humidty`; did you mean `Humidity`?"),
        bad("\(point)2a6ee", "4:9: no characteristic is called `2a6ee`; give its UUID, such as 2a6e"),
        bad("\(point)''", "4:9: no characteristic is called ``; give its UUID, such as 2a6e"),
        bad(
            "\(point)~",
            "4:9: `characteristics` has no value; write a characteristic's name or UUID, or remove the line"),
        bad("\(point)[2a6e]", "4:9: a characteristic is written as keys with values, such as `uuid: …`"),
        bad("\(point)service: 180d", "4:9: a characteristic needs a `uuid`; add one, such as `uuid: temperature`"),
        bad(
            "\(point)uuid: 2a6e\n        service: heart",
            "5:18: `heart` isn't a UUID; write 4 hex digits such as 180d, or all 32 with hyphens"),
        bad("\(point)uuid: 2a6e\n        notify: on", "5:17: `notify` is `on`; write true or false"),
        bad("\(point)uuid: 2a6e\n        notify: \"true\"", "5:17: `notify` is `true`; write true or false"),
        bad("\(point)uuid: 2a6e\n        interval: 2d", "5:19: `interval` is `2d`; it can be from 5s to 1d"),
        bad(
            "\(point)uuid: 2a6e\n        notfy: true",
            "5:9: a characteristic has no key `notfy`; did you mean `notify`?"),
        bad("\(point)temperature\n      - 2A6E", "5:9: the characteristic 2a6e is listed already in line 4; keep one"),
        bad(
            "\(point)2a6e\n      - {uuid: temperature, service: 181a}",
            "5:9: the characteristic 2a6e is listed already in line 4; keep one"),
    ]

    private static let syntax: [MalformedFile] = [
        bad("interval: 30s\n\tmax_links: 5", "2:1: this is a tab; indent with spaces"),
        bad("interval: 30s: 5", "1:14: this isn't YAML: mapping values are not allowed in this context; \(check)"),
        bad(
            "interval: [30s",
            "1:15: this isn't YAML: did not find expected ',' or ']' (while parsing a flow sequence of line 1); \(check)"
        ),
        bad(
            "interval: \"30s",
            "1:15: this isn't YAML: found unexpected end of stream (while scanning a quoted scalar of line 1); \(check)"
        ),
        bad("interval: *a", "1:11: this alias (*name) has no anchor (&name); write the value instead"),
        bad("interval: 30s\n---\ninterval: 30s", "2:1: a second document starts here; keep one in each file"),
        bad("interval: 30s\u{0}", "1:14: YAML doesn't allow the character U+0000; remove it"),
        bad("a\nb\u{1B}[2J", "2:2: YAML doesn't allow the character U+001B; remove it"),
        bad(
            "@interval: 30s",
            "1:1: this isn't YAML: found character that cannot start any token (while scanning for the next token of line 1); \(check)"
        ),
    ]

    private static let check = "check the indentation, the colons and the quotes"

    static func bad(_ text: String, _ problems: String...) -> MalformedFile {
        MalformedFile(text: text, problems: problems)
    }
}
