import DBus

extension PrivateBus {
    /// Returns the configuration of a daemon on this socket.
    static func configuration(socket: String, _ limits: BusLimits, forbidding forbidden: BusName?) -> String {
        let parts = configuration.split(separator: "@SOCKET@", omittingEmptySubsequences: false)
        var text = parts.joined(separator: socket)
        if let forbidden, let end = text.firstRange(of: "  </policy>") {
            text.insert(contentsOf: "    <deny send_destination=\"\(forbidden.text)\"/>\n", at: end.lowerBound)
        }
        guard limits != BusLimits(), let end = text.firstRange(of: "</busconfig>") else { return text }
        for (name, limit) in [
            ("max_replies_per_connection", limits.replies), ("max_match_rules_per_connection", limits.matchRules),
            ("max_outgoing_bytes", limits.queuedBytes),
        ] {
            text.insert(contentsOf: "  <limit name=\"\(name)\">\(limit)</limit>\n", at: end.lowerBound)
        }
        return text
    }

    /// The text of `dbus/test-bus.conf`. A test compares the two.
    package static let configuration = """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <!-- A private bus with the rules of a system bus and its built-in limits, on which everybody may do everything. -->
        <busconfig>
          <type>system</type>
          <listen>unix:path=@SOCKET@</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow user="*"/>
            <allow own="*"/>
            <allow send_type="method_call"/>
            <allow send_type="signal"/>
            <allow send_requested_reply="true" send_type="method_return"/>
            <allow send_requested_reply="true" send_type="error"/>
            <allow receive_type="method_call"/>
            <allow receive_type="signal"/>
            <allow receive_type="method_return"/>
            <allow receive_type="error"/>
          </policy>
        </busconfig>

        """
}
