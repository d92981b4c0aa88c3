"""What schemathesis is told beside the document: a request never waits at the relay, so that a run takes no longer than its requests."""
import schemathesis


@schemathesis.hook
def map_query(context, query):
    waits = (query or {}).get("wait")
    if isinstance(waits, (int, float)) and 0 < waits <= 60 or isinstance(waits, str) and waits.isdigit():
        query["wait"] = 0
    return query
