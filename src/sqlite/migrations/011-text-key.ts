/**
 * Which blocks say the same. `text_key` is a hash of the content without its dress (`same-text.ts`), which SQLite cannot
 * compute: whoever writes a content writes it, and `fillTextKeys` after a script that could not.
 */
export const TEXT_KEY = `
ALTER TABLE blocks ADD COLUMN text_key TEXT;
CREATE INDEX blocks_by_text ON blocks (text_key, scope) WHERE status <> 'archived';
`
