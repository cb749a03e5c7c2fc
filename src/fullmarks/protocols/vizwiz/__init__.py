"""VizWiz: questions of blind people about their photographs, answered or found unanswerable."""
