extension FixedWidthInteger {
    /// The sum, clamped to the type's range, because a store may contain any number.
    public func addingClamped(_ other: Self) -> Self {
        let (sum, isOverflow) = addingReportingOverflow(other)
        return isOverflow ? (other < 0 ? .min : .max) : sum
    }
}
