/// The files of the viewer's page. They are part of the program; no other file can be requested.
enum PageFiles {
    static let index = PageFile(PackageResources.index_html, contentType: "text/html; charset=utf-8")

    /// The files that the page loads, by name.
    static let all: [String: PageFile] = scripts.mapValues { PageFile($0, contentType: "text/javascript; charset=utf-8") }
        .merging([
            "style.css": PageFile(PackageResources.style_css, contentType: "text/css; charset=utf-8"),
            "icon.svg": PageFile(PackageResources.icon_svg, contentType: "image/svg+xml"),
        ]) { $1 }

    private static let scripts: [String: [UInt8]] = [
        "alert-form.js": PackageResources.alert_form_js,
        "alerts.js": PackageResources.alerts_js,
        "api.js": PackageResources.api_js,
        "app.js": PackageResources.app_js,
        "audit.js": PackageResources.audit_js,
        "chart-draw.js": PackageResources.chart_draw_js,
        "client.js": PackageResources.client_js,
        "clients.js": PackageResources.clients_js,
        "commands.js": PackageResources.commands_js,
        "completion-list.js": PackageResources.completion_list_js,
        "completion.js": PackageResources.completion_js,
        "crashes.js": PackageResources.crashes_js,
        "dialog.js": PackageResources.dialog_js,
        "dom.js": PackageResources.dom_js,
        "event-detail.js": PackageResources.event_detail_js,
        "event-list.js": PackageResources.event_list_js,
        "event-log.js": PackageResources.event_log_js,
        "event-row.js": PackageResources.event_row_js,
        "event-source.js": PackageResources.event_source_js,
        "events.js": PackageResources.events_js,
        "field-list.js": PackageResources.field_list_js,
        "fields.js": PackageResources.fields_js,
        "grid.js": PackageResources.grid_js,
        "help.js": PackageResources.help_js,
        "histogram.js": PackageResources.histogram_js,
        "issuer.js": PackageResources.issuer_js,
        "query-box.js": PackageResources.query_box_js,
        "query-result.js": PackageResources.query_result_js,
        "query-text.js": PackageResources.query_text_js,
        "records.js": PackageResources.records_js,
        "request-text.js": PackageResources.request_text_js,
        "rule-form.js": PackageResources.rule_form_js,
        "rule-match.js": PackageResources.rule_match_js,
        "rules.js": PackageResources.rules_js,
        "saved-queries.js": PackageResources.saved_queries_js,
        "scenarios.js": PackageResources.scenarios_js,
        "shortcuts.js": PackageResources.shortcuts_js,
        "sign-in.js": PackageResources.sign_in_js,
        "store.js": PackageResources.store_js,
        "stream.js": PackageResources.stream_js,
        "sync.js": PackageResources.sync_js,
        "time.js": PackageResources.time_js,
        "trigger-events.js": PackageResources.trigger_events_js,
        "trigger-form.js": PackageResources.trigger_form_js,
        "trigger-replay.js": PackageResources.trigger_replay_js,
        "trigger-trial.js": PackageResources.trigger_trial_js,
        "trigger.js": PackageResources.trigger_js,
    ]
}
