/** The names in the text of a block, by whose words recall takes a step from one block to another; made with its terms. */
export const NAMES = `
ALTER TABLE block_index ADD COLUMN names TEXT;
`
