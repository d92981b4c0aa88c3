extension TelemetryLogger: TelemetrySessionRenewing {
    package func renewSession() async -> String? {
        var ended: String?
        await inTurn {
            let wasOn = phase == .on
            guard wasOn || phase == .off else { return }
            if wasOn { await perform(phase.setEnabled(false)) }
            ended = capture.withState { state in
                defer { state.beginSession() }
                return state.highestOffered > 0 ? state.session.id : nil
            }
            if wasOn { await perform(phase.setEnabled(true)) }
        }
        return ended
    }
}
