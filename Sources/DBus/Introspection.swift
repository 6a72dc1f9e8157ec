/// Introspection data in the XML form of the D-Bus specification.
package enum Introspection {
    /// Returns the XML of an object with these interfaces and children.
    package static func xml(
        of interfaces: [(name: InterfaceName, members: [any Member])], children: [String]
    )
        -> String
    {
        var xml = """
            <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
            <node>

            """
        for interface in interfaces {
            xml += "  <interface name=\"\(interface.name)\">\n"
            for member in interface.members { xml += line(member) }
            xml += "  </interface>\n"
        }
        for child in children { xml += "  <node name=\"\(child)\"/>\n" }
        return xml + "</node>\n"
    }

    private static func line(_ member: any Member) -> String {
        switch member.kind {
        case .method(let inputs, let outputs):
            let arguments =
                inputs.map { argument($0, direction: "in") } + outputs.map { argument($0, direction: "out") }
            return element("method", name: member.name, arguments: arguments)
        case .signal(let contents):
            return element("signal", name: member.name, arguments: contents.map { "      <arg type=\"\($0)\"/>\n" })
        case .property(let signature, let access):
            return "    <property name=\"\(member.name)\" type=\"\(signature)\" access=\"\(access.rawValue)\"/>\n"
        }
    }

    private static func element(_ kind: String, name: MemberName, arguments: [String]) -> String {
        arguments.isEmpty
            ? "    <\(kind) name=\"\(name)\"/>\n"
            : "    <\(kind) name=\"\(name)\">\n" + arguments.joined() + "    </\(kind)>\n"
    }

    private static func argument(_ signature: Signature, direction: String) -> String {
        "      <arg type=\"\(signature)\" direction=\"\(direction)\"/>\n"
    }
}
