/// The peripheral's end of a connection.
protocol RadioLink: AnyObject {
    /// Ends the connection, by the peripheral or by loss.
    func drop()
    /// Notes that the peripheral went out of range of its machine or came back.
    func rangeChanged()
}
