/// A connection, as its peripheral has it.
protocol RadioLink: AnyObject {
    /// The connection ends from the peripheral's side, or because it was lost.
    func drop()
    /// The peripheral went out of range or came back.
    func rangeChanged()
}
