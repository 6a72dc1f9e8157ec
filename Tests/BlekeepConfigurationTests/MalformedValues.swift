/// Values that mean nothing, and keys that are none.
extension MalformedFiles {
    static let values: [MalformedFile] = [
        bad("intervall: 30s", "1:1: a configuration has no key `intervall`; did you mean `interval`?"),
        bad("max-links: 5", "1:1: a configuration has no key `max-links`; did you mean `max_links`?"),
        bad(
            "device:\n  - address: F0:00:00:00:00:01",
            "1:1: a configuration has no key `device`; did you mean `devices`?"),
        bad("layout: []", "1:1: a configuration has no key `layout`; did you mean `layouts`?"),
        bad("histroy: /x", "1:1: a configuration has no key `histroy`; did you mean `history`?"),
        bad("power_: {}", "1:1: a configuration has no key `power_`; did you mean `power`?"),
        bad("interval: soon", "1:11: `interval` is `soon`; say a whole number and a unit, such as 30s"),
        bad(
            "interval: 30 s",
            "1:11: `interval` is `30 s`; write whole numbers with the units d, h, m, s or ms, such as 1h30m"),
        bad("interval: 30m5", "1:11: `interval` is `30m5`; say a unit, such as 5s"),
        bad(
            "interval: 1.5m",
            "1:11: `interval` is `1.5m`; write whole numbers with the units d, h, m, s or ms, such as 1h30m"),
        bad("interval: +30s", "1:11: `interval` is `+30s`; say a whole number and a unit, such as 30s"),
        bad(
            "interval: 0x1es",
            "1:11: `interval` is `0x1es`; write whole numbers with the units d, h, m, s or ms, such as 1h30m"),
        bad(
            "interval: 30S",
            "1:11: `interval` is `30S`; write whole numbers with the units d, h, m, s or ms, such as 1h30m"),
        bad("interval: true", "1:11: `interval` is `true`; say a whole number and a unit, such as 30s"),
        bad("interval: ½h", "1:11: `interval` is `½h`; say a whole number and a unit, such as 30s"),
        bad(
            "interval: 30s30s",
            "1:11: `interval` is `30s30s`; write each unit once, the greater ones first, such as 1h30m"),
        bad("max_links: -1", "1:12: `max_links` is `-1`; write a whole number from 1 to 64"),
        bad("max_links: 65", "1:12: `max_links` is `65`; write a whole number from 1 to 64"),
        bad("max_links: 1e1", "1:12: `max_links` is `1e1`; write a whole number from 1 to 64"),
        bad("max_links:", "1:1: `max_links` has no value; write a whole number, or remove the line"),
        bad("max_links: [5]", "1:12: `max_links` is a whole number, not a list or keys"),
        bad("max_links: 0x5", "1:12: `max_links` is `0x5`; write a whole number from 1 to 64"),
        bad(
            "history: ''",
            "1:10: `` isn't an absolute path of a file; write one such as /var/lib/blekeep/history.sqlite"),
        bad("history: [a]", "1:10: `history` is written as keys with values, such as `path: …`"),
        bad(
            "history: {path: x, max: 1}",

            "1:17: `x` isn't an absolute path of a file; write one such as /var/lib/blekeep/history.sqlite",
            "1:20: `history` has no key `max`; it has `path`, `size`, `rollups`, `reserve`"),
        bad("history: {path: [/x]}", "1:17: `path` is the path of a file, not a list or keys"),
        bad("history: {size: 512KiB}", "1:17: `size` is `512KiB`; it must be at least 1MiB"),
        bad("history: {rollups: 0}", "1:20: `rollups` is `0`; it must be at least 512KiB"),
        bad(
            "history: {size: 1.5GiB}",
            "1:17: `size` is `1.5GiB`; write a whole number with the unit KiB, MiB, GiB, kB, MB or GB, such as 256MiB"),
        bad(
            "history: {reserve: -1MB}",
            "1:20: `reserve` is `-1MB`; write a whole number with the unit KiB, MiB, GiB, kB, MB or GB, such as 256MiB"
        ),
        bad(
            "history: {size: 256 MiB}",
            "1:17: `size` is `256 MiB`; write a whole number with the unit KiB, MiB, GiB, kB, MB or GB, such as 256MiB"
        ),
        bad("history: {size: 9999999999GiB}", "1:17: `size` is `9999999999GiB`; that is too large; write less"),
        bad("history: {size: }", "1:11: `size` has no value; write a size such as 256MiB, or remove the line"),
        bad("history: {size: [1MiB]}", "1:17: `size` is a size such as 256MiB, not a list or keys"),
        bad(
            "history: ~/x",
            "1:10: `~/x` isn't an absolute path of a file; write one such as /var/lib/blekeep/history.sqlite"),
        bad("history:", "1:1: `history` has no value; write the path of a file, or remove the line"),
        bad("adapter: [hci0]", "1:10: `adapter` is an adapter's address, or its name such as hci0, not a list or keys"),
        bad("adapter: hci", "1:10: `hci` isn't an adapter; write its address, or its name such as hci0"),
        bad("adapter: hci-1", "1:10: `hci-1` isn't an adapter; write its address, or its name such as hci0"),
        bad("adapter: ''", "1:10: `` isn't an adapter; write its address, or its name such as hci0"),
        bad("adapter: hci0 \n  x", "1:10: `hci0 x` isn't an adapter; write its address, or its name such as hci0"),
        bad(
            "adapter: 00:1A:7D:DA:71:0G",
            "1:10: `00:1A:7D:DA:71:0G` isn't an adapter; write its address, or its name such as hci0"),
        bad(
            "adapter: hci99999999999999999999",
            "1:10: `hci99999999999999999999` isn't an adapter; write its address, or its name such as hci0"),
        bad("tags: [cellar]", "1:7: `tags` is written as tags with keys, such as `cellar: {…}`"),
        bad(
            "tags: {a b: {interval: 5m}}",
            "1:8: the tag `a b` can have letters, digits, `_`, `-` and `.`; leave out the rest"),
        bad("tags: {cellar: 5m}", "1:16: a tag is written as keys with values, such as `gateways: …`"),
        bad("tags: {cellar: {interval: 1s}}", "1:27: `interval` is `1s`; it can be from 5s to 1d"),
        bad("tags: {cellar: {}, cellar: {}}", "1:20: the key `cellar` is set already in line 1; keep one"),
        bad("tags: {[a]: {}}", "1:8: a key is a word; `tags` has tags"),
        bad(
            "tags: {cellar: {key: attic-key}}",
            "1:17: a tag has no key `key`; it has `gateways`, `adapter`, `interval`, `throttle`, `silence`, `mode`, `log`, `battery`, "
                + "`format`, `medium`, `model`, `fields`, `derive`, `calibration`, `power`, `adaptive`, `min_interval`, `max_interval`, `characteristics`"
        ),
        bad(
            "\(device)calibration: [{name: temperature, offset: warm}]",
            "3:47: `offset` is `warm`; write a number such as 0.01 or -40"),
        bad(
            "\(device)calibration: [{name: humidity, offset: 1}, {name: humidity, factor: 2}]",
            "3:48: the field `humidity` is listed already; keep one"),
        bad(
            "\(device)mode: passive\n    fields: [{name: humidity, offset: 1}]",
            "4:14: `fields` has only names; `calibration` corrects fields"),
        bad("devices: 5", "1:10: `devices` is a list of devices, each on a line that starts with `- `"),
        bad("devices: {}", "1:10: `devices` is a list of devices, each on a line that starts with `- `"),
        bad("layouts: {}", "1:10: `layouts` is a list of layouts, each on a line that starts with `- `"),
        bad("layouts: 5", "1:10: `layouts` is a list of layouts, each on a line that starts with `- `"),
        bad("power: []", "1:8: `power` is written as keys with values, such as `mode: …`"),
        bad("power: 5", "1:8: `power` is written as keys with values, such as `mode: …`"),
        bad(
            "? [a, b]\n: c",
            "1:3: a key is a word; a configuration has `adapter`, `gateway`, `interval`, `throttle`, `scan`, `max_links`, `history`, `power`, `on_stop`, `recovery`, `sinks`, `metrics`, `rules`, `notices`, `tags`, `devices`, `layouts`, `recipes`"
        ),
        bad(
            "{}\n{}",
            "2:1: this isn't YAML: did not find expected <document start>; check the indentation, the colons and the quotes"
        ),
        bad("--- a\n--- b", "2:1: a second document starts here; keep one in each file"),
        bad(
            "%YAML 1.1\n---\n%TAG",
            "3:5: this isn't YAML: did not find expected '!' (while scanning a tag directive of line 3); check the indentation, the colons and the quotes"
        ),
        bad(
            "a: &x *x",
            "1:7: this isn't YAML: did not find expected key (while parsing a block mapping of line 1); check the indentation, the colons and the quotes"
        ),
        bad(
            "interval: >\n 30 s",
            "1:11: `interval` is `30 s`; write whole numbers with the units d, h, m, s or ms, such as 1h30m"),
        bad("interval: |\n  4s", "1:11: `interval` is `4s`; it can be from 5s to 1d"),
    ]

    static let rhythms: [MalformedFile] = [
        bad("power: {mode: 5}", "1:15: `5` isn't a power mode; write auto, normal or low"),
        bad("power: {mode: }", "1:9: `mode` has no value; write auto, normal or low, or remove the line"),
        bad("power: {mode: [low]}", "1:15: `mode` is auto, normal or low, not a list or keys"),
        bad(
            "power: {battery: 0s}",
            "1:18: `battery` is `0s`; write an interval from 5s to 1d, a factor from x1 to x1000, or pause"),
        bad(
            "power: {battery: -5m}",
            "1:18: `battery` is `-5m`; write an interval from 5s to 1d, a factor from x1 to x1000, or pause"),
        bad(
            "power: {battery: x}",
            "1:18: `battery` is `x`; write an interval from 5s to 1d, a factor from x1 to x1000, or pause"),
        bad(
            "power: {battery: x1000000000}",
            "1:18: `battery` is `x1000000000`; write an interval from 5s to 1d, a factor from x1 to x1000, or pause"),
        bad(
            "power: {low: x1.5}",
            "1:14: `low` is `x1.5`; write an interval from 5s to 1d, a factor from x1 to x1000, or pause"),
        bad(
            "power: {critical: paused}",
            "1:19: `critical` is `paused`; write an interval from 5s to 1d, a factor from x1 to x1000, or pause"),
        bad(
            "power: {critical: [pause]}",
            "1:19: `critical` is an interval from 5s to 1d, a factor from x1 to x1000, or pause, not a list or keys"),
        bad(
            "power: {battery: 2d}",
            "1:18: `battery` is `2d`; write an interval from 5s to 1d, a factor from x1 to x1000, or pause"),
        bad(
            "\(device)power: {mode: low}",
            "3:13: a device's `power` has no key `mode`; it has `battery`, `low`, `critical`"),
        bad("\(device)power: off", "3:12: a device's `power` is written as keys with values, such as `battery: …`"),
        bad("\(device)adaptive: maybe", "3:15: `adaptive` is `maybe`; write true or false"),
        bad("\(device)adaptive: true\n    min_interval: 1s", "4:19: `min_interval` is `1s`; it can be from 5s to 1d"),
        bad("\(device)adaptive: true\n    max_interval: 2d", "4:19: `max_interval` is `2d`; it can be from 5s to 1d"),
        bad("\(device)max_interval: 5m", "3:5: `max_interval` has no effect without `adaptive: true`"),
    ]

    static let details: [MalformedFile] = [
        bad(
            "devices:\n  - address: F0-00-00-00-00-01-",
            "2:14: `F0-00-00-00-00-01-` isn't an address; write six pairs of hex digits, such as F0:00:00:00:00:01"),
        bad(
            "devices:\n  - address: F000000000 01",
            "2:14: `F000000000 01` isn't an address; write six pairs of hex digits, such as F0:00:00:00:00:01"),
        bad(
            "devices:\n  - address: [F0:00:00:00:00:01]",
            "2:14: `address` is an address such as F0:00:00:00:00:01, not a list or keys"),
        bad(
            "devices:\n  - adress: F0:00:00:00:00:01", "2:5: a device has no key `adress`; did you mean `address`?",
            "2:5: a device needs an `address`; add one, such as `address: F0:00:00:00:00:01`"),
        bad("devices:\n  - {}", "2:5: a device needs an `address`; add one, such as `address: F0:00:00:00:00:01`"),
        bad("devices:\n  - []", "2:5: a device is written as keys with values, such as `address: …`"),
        bad(
            "devices:\n  - address: F0:00:00:00:00:01\n  -",
            "3:4: a device is written as keys with values, such as `address: …`"),
        bad("\(device)alias:", "3:5: `alias` has no value; write a name for the device, or remove the line"),
        bad("\(device)alias: 'a '", "3:12: the alias `a ` starts or ends with a space; remove it"),
        bad(
            "\(device)alias: a#b",
            "3:12: the alias `a#b` holds a #, which is a wildcard in MQTT topics; leave it out"),
        bad(
            "\(device)alias: \"\\u0000\"", "3:12: the alias `\\u{0}` has invisible characters; remove them"),
        bad(
            "\(device)alias: \"\\u200b\"",
            "3:12: the alias `\\u{200B}` has invisible characters; remove them"),
        bad(
            "\(device)mode:",
            "3:5: `mode` has no value; write auto, hold, release, heard or passive, or remove the line"),
        bad("\(device)mode: HOLD", "3:11: `HOLD` isn't a mode; did you mean `hold`?"),
        bad("\(device)mode: [hold]", "3:11: `mode` is auto, hold, release, heard or passive, not a list or keys"),
        bad("\(device)interval: 3", "3:15: `interval` is `3`; it can be from 5s to 1d"),
        bad("\(device)adapter: wlan0", "3:14: `wlan0` isn't an adapter; write its address, or its name such as hci0"),
        bad(
            "\(device)max_links: 3",
            "3:5: a device has no key `max_links`; it has `address`, `alias`, `id`, `enabled`, `tags`, `gateways`, `adapter`, `interval`, `throttle`, `silence`, `mode`, `log`, `battery`, `format`, `medium`, `model`, `fields`, `derive`, `calibration`, `key`, `recipe`, `write`, `secret`, `power`, `adaptive`, `min_interval`, `max_interval`, `characteristics`"
        ),
        bad(
            "\(device)name: x",
            "3:5: a device has no key `name`; it has `address`, `alias`, `id`, `enabled`, `tags`, `gateways`, `adapter`, `interval`, `throttle`, `silence`, `mode`, `log`, `battery`, `format`, `medium`, `model`, `fields`, `derive`, `calibration`, `key`, `recipe`, `write`, `secret`, `power`, `adaptive`, `min_interval`, `max_interval`, `characteristics`"
        ),
        bad(
            "\(device)characteristics: {}",
            "3:22: `characteristics` is a list of characteristics, each on a line that starts with `- `"),
        bad(
            "\(device)characteristic: [2a6e]",
            "3:5: a device has no key `characteristic`; did you mean `characteristics`?"),
        bad("\(point)-", "4:9: a characteristic is written as keys with values, such as `uuid: …`"),
        bad("\(point)5", "4:9: no characteristic is called `5`; give its UUID, such as 2a6e"),
        bad("\(point)uuid: [2a6e]", "4:15: `uuid` is a characteristic's name or UUID, not a list or keys"),
        bad("\(point)uuid: ", "4:9: `uuid` has no value; write a characteristic's name or UUID, or remove the line"),
        bad(
            "\(point)uuid: 2a6e\n        service: [180d]",
            "5:18: `service` is a service's UUID such as 180d, not a list or keys"),
        bad(
            "\(point)uuid: 2a6e\n        service:",
            "5:9: `service` has no value; write a service's UUID such as 180d, or remove the line"),
        bad("\(point)uuid: 2a6e\n        notify: yes", "5:17: `notify` is `yes`; write true or false"),
        bad("\(point)uuid: 2a6e\n        notify: [true]", "5:17: `notify` is true or false, not a list or keys"),
        bad("throttle: 2h", "1:11: `throttle` is `2h`; it can be from 0s to 1h"),
        bad("throttle: -1s", "1:11: `throttle` is `-1s`; say a whole number and a unit, such as 30s"),
        bad("throttle: [1s]", "1:11: `throttle` is a duration such as 30s, not a list or keys"),
        bad("\(device)throttle: 61m", "3:15: `throttle` is `61m`; it can be from 0s to 1h"),
        bad("\(point)uuid: 2a6e\n        throttle: 1d", "5:19: `throttle` is `1d`; it can be from 0s to 1h"),
        bad("\(point)uuid: 2a6e\n        interval: 1s", "5:19: `interval` is `1s`; it can be from 5s to 1d"),
        bad(
            "\(point)uuid: 2a6e\n        handle: 5",
            "5:9: a characteristic has no key `handle`; it has `uuid`, `service`, `notify`, `interval`, "
                + "`throttle`, `security`, `write`, `factor`, `offset`"),
        bad(
            "\(point)uuid: 00002a6e-0000-1000-8000-00805f9b34f",
            "4:15: no characteristic is called `00002a6e-0000-1000-8000-00805f9b34f`; give its UUID, such as 2a6e"),
    ]
}
