/**
 * Each use of a block moved its entry in these, which cost a recall more than all else that it writes. What is asked for by use, a
 * page that somebody looks at, reads all blocks as other orders do.
 */
export const NO_RECENCY = `
DROP INDEX blocks_by_recency;
DROP INDEX blocks_of_scope_by_recency;
`
