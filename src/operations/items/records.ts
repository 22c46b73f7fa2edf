import { listItems } from './list-items.ts'
import { listNamespaces } from './list-namespaces.ts'
import { readItems } from './read-items.ts'
import { searchItems } from './search-items.ts'
import { writeItems } from './write-items.ts'

/** The records behind `memory.items`. `invoke` runs them as operations; no command and no tool is made of them. */
export const itemRecords = { writeItems, readItems, listItems, listNamespaces, searchItems } as const
