extension FixedWidthInteger {
    /// The sum, or the number nearest to it that there is: what a store says may be any number.
    public func addingClamped(_ other: Self) -> Self {
        let (sum, isOverflow) = addingReportingOverflow(other)
        return isOverflow ? (other < 0 ? .min : .max) : sum
    }
}
