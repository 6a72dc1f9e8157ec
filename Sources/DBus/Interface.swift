/// An interface as a table of typed members. It has only the members that blekeep calls, watches or exports.
package protocol Interface: SendableMetatype {
    static var name: InterfaceName { get }
    static var members: [any Member] { get }
}

package protocol Member: Sendable {
    var interface: InterfaceName { get }
    var name: MemberName { get }
    var kind: MemberKind { get }
}

package enum MemberKind: Hashable, Sendable {
    case method(in: [Signature], out: [Signature])
    case property(Signature, Access)
    case signal([Signature])

    package enum Access: String, Sendable { case read, readwrite }
}

package struct Method<Output: WireReply, each Input: WireType>: Member {
    package let interface: InterfaceName
    package let name: MemberName

    package var kind: MemberKind {
        var inputs: [Signature] = []
        for type in repeat (each Input).self { inputs.append(type.signature) }
        return .method(in: inputs, out: Output.replySignature)
    }
}

package struct Property<Content: WireType>: Member {
    package let interface: InterfaceName
    package let name: MemberName
    package let access: MemberKind.Access

    package var kind: MemberKind { .property(Content.signature, access) }
}

package struct SignalMember<each Content: WireType>: Member {
    package let interface: InterfaceName
    package let name: MemberName

    package var kind: MemberKind {
        var contents: [Signature] = []
        for type in repeat (each Content).self { contents.append(type.signature) }
        return .signal(contents)
    }
}

extension Interface {
    package static func method<Output: WireReply, each Input: WireType>(
        _ member: MemberName
    ) -> Method<Output, repeat each Input> {
        Method(interface: name, name: member)
    }

    package static func property<Content: WireType>(
        _ member: MemberName, access: MemberKind.Access = .read
    ) -> Property<Content> {
        Property(interface: name, name: member, access: access)
    }

    package static func signal<each Content: WireType>(_ member: MemberName) -> SignalMember<repeat each Content> {
        SignalMember(interface: name, name: member)
    }
}
