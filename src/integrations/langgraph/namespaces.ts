import type { ListNamespacesOperation, MatchCondition } from '@langchain/langgraph-checkpoint'

/** The labels that a namespace must begin with, as far as the conditions say: nothing else needs to be read. */
export function commonBeginning(conditions: readonly MatchCondition[] = []): string[] {
  const beginnings = conditions
    .filter(({ matchType }) => matchType === 'prefix')
    .map(({ path }) => {
      const any = path.indexOf('*')
      return any < 0 ? path : path.slice(0, any)
    })
  return beginnings.reduce((longest, each) => (each.length > longest.length ? each : longest), [])
}

/** The namespaces that a listing names, in its order. `*` in a condition is any label. */
export function listed(
  namespaces: readonly (readonly string[])[],
  { matchConditions = [], maxDepth, limit, offset = 0 }: Partial<ListNamespacesOperation>,
): string[][] {
  const fitting = namespaces.filter((labels) => matchConditions.every((each) => isMatch(labels, each)))
  const cut = fitting.map((labels) => labels.slice(0, maxDepth))
  const unique = [...new Map(cut.map((labels) => [JSON.stringify(labels), labels])).values()]
  return unique
    .sort((one, other) => one.join(':').localeCompare(other.join(':')))
    .slice(offset, limit === undefined ? undefined : offset + limit)
}

function isMatch(labels: readonly string[], { matchType, path }: MatchCondition): boolean {
  if (path.length > labels.length) return false
  const from = matchType === 'prefix' ? 0 : labels.length - path.length
  return path.every((label, at) => label === '*' || label === labels[from + at])
}
