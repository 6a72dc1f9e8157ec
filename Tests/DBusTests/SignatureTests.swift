import DBus
import Testing

struct SignatureTests {
    @Test(arguments: [
        "", "y", "a{sv}", "a{oa{sa{sv}}}", "(ii)", "aay", "a(s(ybnqiuxtdsogh))", "vvv", "a{yv}",
    ])
    func signatures(_ text: String) { #expect(Signature.isValid(text)) }

    @Test(arguments: ["a", "(", "()", ")", "a{v}", "a{vs}", "a{sv", "a{svs}", "{sv}", "z", "a{(s)v}", "(i"])
    func notSignatures(_ text: String) { #expect(!Signature.isValid(text)) }

    @Test func nestingAndLengthAreBounded() {
        func arrays(_ count: Int) -> String { String(repeating: "a", count: count) + "y" }
        func structures(_ count: Int) -> String {
            String(repeating: "(", count: count) + "y" + String(repeating: ")", count: count)
        }
        #expect(Signature.isValid(arrays(32)) && !Signature.isValid(arrays(33)))
        #expect(Signature.isValid(structures(32)) && !Signature.isValid(structures(33)))
        #expect(Signature.isValid(String(repeating: "y", count: 255)))
        #expect(!Signature.isValid(String(repeating: "y", count: 256)))
    }

    @Test func completeTypesAreSplit() {
        #expect(Signature(stringLiteral: "sa{sv}(ii)as").types == ["s", "a{sv}", "(ii)", "as"])
    }
}
