public import Foundation

/// <https://developer.apple.com/documentation/swiftui/timelineschedule>
public protocol TimelineSchedule {}

/// <https://developer.apple.com/documentation/swiftui/periodictimelineschedule>
public struct PeriodicTimelineSchedule: TimelineSchedule, Sendable {}

extension TimelineSchedule where Self == PeriodicTimelineSchedule {
    /// <https://developer.apple.com/documentation/swiftui/timelineschedule/periodic(from:by:)>
    public static func periodic(from startDate: Date, by interval: TimeInterval) -> PeriodicTimelineSchedule {
        PeriodicTimelineSchedule()
    }
}

/// <https://developer.apple.com/documentation/swiftui/timelineviewdefaultcontext>
public struct TimelineViewDefaultContext {}

/// <https://developer.apple.com/documentation/swiftui/timelineview>; renders the content once.
public struct TimelineView: StandInView {
    public let standInNodes: [StandInNode]

    /// <https://developer.apple.com/documentation/swiftui/timelineview/init(_:content:)>
    public init(
        _ schedule: some TimelineSchedule, @ViewBuilder content: @escaping (TimelineViewDefaultContext) -> some View
    ) {
        standInNodes = StandInNode.nodes(of: content(TimelineViewDefaultContext()))
    }
}
