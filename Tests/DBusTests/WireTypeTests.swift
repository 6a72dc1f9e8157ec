import DBus
import Testing

/// Swift types as D-Bus types: the signature of a value is that of its type, also when it is empty.
struct WireTypeTests {
    private func check<Content: WireType & Equatable>(_ content: Content, _ signature: String) {
        #expect(Content.signature.text == signature)
        #expect(content.value.signature.text == signature)
        #expect(Content(content.value) == content)
    }

    @Test func basicTypes() {
        check(UInt8.max, "y")
        check(true, "b")
        check(Int16.min, "n")
        check(UInt16.max, "q")
        check(Int32.min, "i")
        check(UInt32.max, "u")
        check(Int64.min, "x")
        check(UInt64.max, "t")
        check(-0.5, "d")
        check("ä\u{1F600}", "s")
        check(ObjectPath.root, "o")
        check(Variant(UInt16(7)), "v")
    }

    @Test func containers() {
        check([UInt8](0...255), "ay")
        check(["a", "b"], "as")
        check([["a"], []], "aas")
        check([ObjectPath.root], "ao")
        check([UInt16(1): Variant([UInt8](1...3))], "a{qv}")
        check(["a": ["b": Variant("c")]], "a{sa{sv}}")
    }

    @Test func emptyContainersKeepTheirType() {
        check([UInt8](), "ay")
        check([String](), "as")
        check([ObjectPath](), "ao")
        check([[UInt8]](), "aay")
        check(Properties(), "a{sv}")
        check([UInt16: Variant](), "a{qv}")
    }

    @Test func otherTypesAreRefused() {
        #expect([String](.bytes([])) == nil)
        #expect([UInt8](.array("s", [])) == nil)
        #expect(UInt16(.int16(1)) == nil)
        #expect(Properties(.dictionary(key: "q", value: "v", [])) == nil)
        #expect([String](.array("s", [.uint32(1)])) == nil)
    }

    @Test func ofTwoPropertiesWithTheSameNameTheLastCounts() throws {
        let pairs = [("a", 1), ("b", 2), ("a", 3)].map { name, number in
            Value.Entry(.string(name), .variant(.uint16(number)))
        }
        var properties = try #require(Properties(.dictionary(key: "s", value: "v", pairs)))
        #expect(properties["a"] == Variant(UInt16(3)))
        properties["a"] = Variant(UInt16(4))
        #expect(properties["a"] == Variant(UInt16(4)))
        properties.apply(["b": Variant("new"), "c": Variant(true)], without: ["a"])
        #expect(properties["a"] == nil)
        #expect(properties == ["c": Variant(true), "b": Variant("new")])
        #expect(properties != ["c": Variant(true), "b": Variant("old")])
    }

    @Test func moreInterfacesComeToAnObjectOrTakeTheirOwnPlace() {
        var object: ManagedObject = ["test.A": ["x": Variant(true), "y": Variant(true)]]
        object.merge(["test.A": ["x": Variant(false)], "test.B": [:]])
        #expect(object == ["test.A": ["x": Variant(false)], "test.B": [:]])
        // Whatever came first.
        #expect(object == ["test.B": [:], "test.A": ["x": Variant(false)]])
        #expect(object.change("test.C") { $0["x"] = Variant(true) } == nil)
        #expect(object.remove("test.A") == "test.A")
        #expect(object.remove("test.A") == nil)
        #expect(object.remove("test.B") == "test.B")
        #expect(object.isEmpty)
        let told: Value = .dictionary(
            key: String.signature, value: Properties.signature,
            [Value.Entry("no interface".value, Properties().value), Value.Entry("test.A".value, Properties().value)])
        #expect(ManagedObject(told)?.names == ["test.A"])
    }
}
