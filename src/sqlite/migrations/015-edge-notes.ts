/** Recall reads the notes of edges, newest first: from this index alone. */
export const EDGE_NOTES = `
CREATE INDEX edges_noted ON edges (created_at DESC, from_id, to_id, note, scope) WHERE note IS NOT NULL;
`
