/// The reply of a method: nothing, one value or several.
package protocol WireReply: Sendable {
    static var replySignature: [Signature] { get }
    /// Returns `nil` when the values have other types.
    init?(reply: [Value])
    var reply: [Value] { get }
}

extension WireType {
    package static var replySignature: [Signature] { [signature] }

    package init?(reply: [Value]) {
        guard reply.count == 1 else { return nil }
        self.init(reply[0])
    }

    package var reply: [Value] { [value] }
}

/// The reply of a method without result.
package struct Nothing: WireReply {
    package init() {}
    package init?(reply: [Value]) {}
    package static var replySignature: [Signature] { [] }
    package var reply: [Value] { [] }
}

/// The reply of a method with two results.
package struct Pair<First: WireType, Second: WireType>: WireReply {
    package var first: First
    package var second: Second

    package init(_ first: First, _ second: Second) { (self.first, self.second) = (first, second) }

    package init?(reply: [Value]) {
        guard reply.count == 2, let first = First(reply[0]), let second = Second(reply[1]) else { return nil }
        (self.first, self.second) = (first, second)
    }

    package static var replySignature: [Signature] { [First.signature, Second.signature] }
    package var reply: [Value] { [first.value, second.value] }
}
