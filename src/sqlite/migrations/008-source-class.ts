/**
 * Who speaks in a block. Of blocks that are there: messages are a peer's, documents and what came with an import are
 * what they are, principles the owner's; other words of named sources are somebody else's unless they were taken for
 * identity, which only the agent or its owner could do.
 */
export const SOURCE_CLASS = `
ALTER TABLE blocks ADD COLUMN source_class TEXT NOT NULL DEFAULT 'agent'
CHECK (source_class IN ('user', 'agent', 'model', 'tool', 'document', 'peer', 'import'));
UPDATE blocks SET source_class = CASE
  WHEN category = 'message' OR tags LIKE '%"peer/%' THEN 'peer'
  WHEN session LIKE 'document:%' THEN 'document'
  WHEN source = 'import' OR source LIKE 'import: %' THEN 'import'
  WHEN tags LIKE '%"self/constitutional"%' OR lower(trim(source)) IN ('user', 'human', 'owner', 'me') THEN 'user'
  WHEN tags LIKE '%"self/%' OR coalesce(trim(source), '') = '' THEN 'agent'
  WHEN lower(trim(source)) IN ('self', 'agent', 'assistant', 'api', 'cli', 'mcp', 'elf') THEN 'agent'
  ELSE 'document'
END;
`
