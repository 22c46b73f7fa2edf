/** Words with which a constraint of a table begins, and no column. */
const CONSTRAINTS = new Set(['PRIMARY', 'UNIQUE', 'CHECK', 'FOREIGN', 'CONSTRAINT'])

/** The names of the columns in the text that made a table, in order; linear in the text, and runs nothing. */
export function columnsOf(sql: string): string[] {
  return partsOf(sql).flatMap((part) => {
    const name = /^(?:"([^"]*)"|`([^`]*)`|\[([^\]]*)\]|(\w+))/.exec(part)
    const found = name?.[1] ?? name?.[2] ?? name?.[3] ?? name?.[4]
    return found === undefined || (name?.[4] !== undefined && CONSTRAINTS.has(found.toUpperCase()))
      ? []
      : [found]
  })
}

/** Quoted texts, brackets, commas, and what stands between them. */
const TOKEN = /'[^']*'|"[^"]*"|`[^`]*`|[(),]|[^'"`(),]+/g

/** What stands between the commas of the outermost brackets. */
function partsOf(sql: string): string[] {
  const parts: string[] = []
  let depth = 0
  for (const [token] of sql.matchAll(TOKEN)) {
    if (token === ')') depth -= 1
    if (depth === 1 && token === ',') parts.push('')
    else if (depth >= 1) parts.push(`${parts.pop() ?? ''}${token}`)
    if (token === '(') depth += 1
  }
  return parts.map((part) => part.trim())
}
