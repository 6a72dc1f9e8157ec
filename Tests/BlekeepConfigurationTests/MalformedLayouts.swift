/// Layouts that say nothing, or something impossible.
extension MalformedFiles {
    private static let layout = "layouts:\n  - uuid: fff1\n    "
    private static let field = "\(layout)fields:\n      - "
    private static let named = "\(field){name: a, "
    private static let tests = "\(named)type: uint8}\n    tests: "

    static let layouts: [MalformedFile] = [
        bad("layouts:\n  - 5", "2:5: a layout is written as keys with values, such as `uuid: …`"),
        bad(
            "layouts:\n  - uuid: xyz\n    fields: [{name: a, type: uint8}]",
            "2:11: no characteristic is called `xyz`; give its UUID, such as 2a6e"),
        bad("\(layout)fields: 5", "3:13: `fields` is a list of fields, each on a line that starts with `- `"),
        bad(
            "\(layout)fields: []",
            "2:5: a layout needs `fields`; add them, such as `fields: [{name: level, type: uint8}]`"),
        bad("\(layout)fields: [a]", "3:14: a field is written as keys with values, such as `name: …`"),
        bad(
            "\(layout)name: [a]\n    fields: [{name: a, type: uint8}]",
            "3:11: `name` is a name for the characteristic, not a list or keys"),
        bad(
            "\(layout)endian:\n    fields: [{name: a, type: uint8}]",
            "3:5: `endian` has no value; write little or big, or remove the line"),
        bad(
            "\(layout)feilds: []",
            "2:5: a layout needs `fields`; add them, such as `fields: [{name: level, type: uint8}]`",
            "3:5: a layout has no key `feilds`; did you mean `fields`?"),
        bad("\(named)type: uint0}", "4:25: `uint0` isn't a type; did you mean `uint8`?"),
        bad("\(named)type: uint57}", "4:25: `uint57` isn't a type; write one such as uint16"),
        bad("\(named)type: sint}", "4:25: `sint` isn't a type; did you mean `sint8`?"),
        bad("\(named)type: utf8s(0)}", "4:25: `utf8s(0)` isn't a type; write one such as uint16"),
        bad("\(named)type: utf8s(513)}", "4:25: `utf8s(513)` isn't a type; write one such as uint16"),
        bad("\(named)type: utf8s(8}", "4:25: `utf8s(8` isn't a type; write one such as uint16"),
        bad(
            "\(named)type: uint8[}",
            "4:30: this isn't YAML: did not find expected ',' or '}' (while parsing a flow mapping of line 4); check the indentation, the colons and the quotes"
        ),
        bad("\(named)type: [uint8]}", "4:25: `type` is a type such as uint16, not a list or keys"),
        bad("\(named)type: 8}", "4:25: `8` isn't a type; write one such as uint16"),
        bad("\(field){name: 5a, type: uint8}", "4:16: `5a` isn't a field name; write a-z, 0-9 and _, a letter first"),
        bad("\(field){name: '', type: uint8}", "4:16: `` isn't a field name; write a-z, 0-9 and _, a letter first"),
        bad("\(field){skip: -1}", "4:16: `skip` is `-1`; write a whole number from 1 to 512"),
        bad("\(field){skip: 513}", "4:16: `skip` is `513`; write a whole number from 1 to 512"),
        bad("\(field){skip: 1, name: a}", "4:19: skipped bytes have no `name`; remove it"),
        bad("\(named)type: uint8, scale: 0}", "4:39: a `scale` of 0 makes all values equal; write another one"),
        bad("\(named)type: uint8, scale: 1e40}", "4:39: `scale` is `1e40`; write a number such as 0.01 or -40"),
        bad("\(named)type: uint8, scale: .nan}", "4:39: `scale` is `.nan`; write a number such as 0.01 or -40"),
        bad("\(named)type: uint8, offset: much}", "4:40: `offset` is `much`; write a number such as 0.01 or -40"),
        bad("\(named)type: uint8, unit: [°C]}", "4:38: `unit` is a unit's symbol such as °C, not a list or keys"),
        bad(
            "\(named)type: uint8, special: unknown}",
            "4:32: `special`: only integers have special values, written as numbers with words: {0x8000: unknown}"),
        bad(
            "\(named)type: utf8s, special: {1: a}}",
            "4:32: `special`: only integers have special values, written as numbers with words: {0x8000: unknown}"),
        bad("\(named)type: uint8, if: 5}", "4:36: a condition is written as keys with values, such as `field: …`"),
        bad("\(named)type: uint8, if: {field: b, is: 2}}", "4:44: no field before this one is called `b`; name one"),
        bad(
            "\(named)type: uint8, if: {}}",
            "4:36: a condition needs `is`, `is_not`, `bit`, `at_least` or `below`; add one"),
        bad("\(named)type: uint8, iff: {bit: 1}}", "4:32: a field has no key `iff`; did you mean `if`?"),
        bad(
            "\(field){name: flags, type: bits8}\n      - {name: a, type: uint8, if: {bit: x}}",
            "5:42: `bit` is `x`; write a whole number from 0 to 55"),
        bad(
            "\(field){name: flags, type: utf8z}\n      - {name: a, type: uint8, if: {bit: 1}}",
            "5:36: a condition needs an integer without a scale; `flags` isn't one"),
        bad("\(tests)5", "5:12: `tests` is a list of tests, each on a line that starts with `- `"),
        bad("\(tests)[{expect: {a: 1}}]", "5:13: a test needs `hex`, the bytes to decode; add it"),
        bad("\(tests)[{hex: 0}]", "5:19: `0` isn't a value; write two hex digits a byte"),
        bad("\(tests)[{hex: zz, expect: {a: 1}}]", "5:19: `zz` isn't a value; write two hex digits a byte"),
        bad(
            "\(tests)[{hex: '', expect: {a: 1}}]",
            "5:13: the bytes of this test are too short for the layout; check both"),
        bad("\(tests)[{hex: '01', error: bad}]", "5:13: this test expects the error bad, but the bytes decode"),
        bad("\(tests)[{hex: '01'}]", "5:13: a test needs `expect`, the fields and their values, or `error`; add it"),
        bad("\(tests)[{hex: '01', expect: {a: two}}]", "5:37: the bytes of this test say that `a` is `1`; check both"),
        bad(
            "\(named)type: uint8[]}\n      - {name: b, type: uint8}",
            "4:30: this isn't YAML: did not find expected ',' or '}' (while parsing a flow mapping of line 4); check the indentation, the colons and the quotes"
        ),
        bad(
            "\(named)type: uint4}",
            "4:9: the last field ends inside a byte; add a field such as uint4, or `skip: 4 bits`"),
    ]
}
