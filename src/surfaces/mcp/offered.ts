import { type JsonSchema, snakeCase } from '../../adapters/project/spelling.ts'
import { type Capability, mayDo } from '../../flow/guard/accept-caller.ts'
import { type OwnerArguments, type OwnerValues, ownerArguments } from '../../operations/door.ts'
import type { Operation } from '../../operations/operation.ts'

/** The input of an operation without what a caller may not pass: arguments, and values of them. */
export function offered(schema: JsonSchema, operation: Operation, capability: Capability): JsonSchema {
  const owners = mayDo({ capability }, 'owner') ? {} : ownerArguments(operation)
  const held = mayDo({ capability }, 'agent') ? [] : Object.keys(operation.forReader ?? {})
  return without(schema, { ...owners, ...Object.fromEntries(held.map((name) => [name, 'given' as const])) })
}

function without(schema: JsonSchema, rules: OwnerArguments): JsonSchema {
  const kept = Object.entries(schema.properties ?? {}).flatMap(([key, each]) => {
    const rule = Object.entries(rules).find(([name]) => snakeCase(name) === key)?.[1]
    const left = rule === undefined ? each : narrowed(each, rule)
    return left === undefined ? [] : [[key, left] as const]
  })
  return { ...schema, properties: Object.fromEntries(kept) }
}

/** Returns what is left of an argument; undefined when nothing worth saying is. */
function narrowed(schema: JsonSchema, values: OwnerValues): JsonSchema | undefined {
  if (values === 'given') return undefined
  if (!Array.isArray(values)) {
    const inside = values as OwnerArguments
    return schema.items === undefined
      ? without(schema, inside)
      : { ...schema, items: without(schema.items, inside) }
  }
  if (schema.enum === undefined) return undefined
  return { ...schema, enum: schema.enum.filter((each) => !values.includes(each as string)) }
}
