import type { Column, Table } from '../store/description.ts'

/** Returns the conditions for the values of a column that every database checks; NULL passes them. */
export function checksOf(name: string, { kind, words, least, most, isSet }: Column): string[] {
  return [
    ...(words === undefined ? [] : [`${name} IN (${words.map((word) => `'${word}'`).join(', ')})`]),
    ...(kind === 'flag' || isSet === true ? [`${name} IN (0, 1)`] : []),
    ...(least === undefined ? [] : [`${name} >= ${least}`]),
    ...(most === undefined ? [] : [`${name} <= ${most}`]),
  ]
}

/** Returns the value that stands for an absent one in a column, if there is one. */
export function defaultOf({ blank }: Column): string[] {
  return blank === undefined ? [] : [`DEFAULT ${typeof blank === 'number' ? blank : `'${blank}'`}`]
}

/** Returns the indexes of a table by their columns and their condition; an index of a scope leaves out rows without a scope. */
export function indexesOf({ indexes = [], within = [] }: Table) {
  const ofWhole = indexes.map((definition) => ({ definition, also: [] as string[] }))
  const ofScope = within.map((each) => ({ definition: `scope, ${each}`, also: ["scope <> ''"] }))
  return [...ofWhole, ...ofScope].map(({ definition, also }) => {
    const [columns = '', ...condition] = definition.split(' WHERE ')
    const conditions = [...condition, ...also]
    return { definition, columns, where: conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}` }
  })
}
