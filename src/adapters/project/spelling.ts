/** The parts of JSON Schema that spelling and reading of values depend on. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly description?: string
  readonly unit?: string
  /** The first name of a property that this one is another name of, in camelCase. */
  readonly aliasOf?: string
  /** The argument, an object, of which a command line gives this part by a flag of its own; and the name of the part. */
  readonly partOf?: readonly [argument: string, part: string]
  /** An argument that is taken, but not listed with those of its tool. */
  readonly unlisted?: boolean
  /** The operation whose input the items of this list are; its tool describes them. */
  readonly sameAs?: string
  /** True if the values of this text are names of fields, which are spelled as the fields are. */
  readonly namesFields?: boolean
  /** True if each item of this list is a phrase, in which a comma separates nothing. */
  readonly phrases?: boolean
  /** The words for a switch that is on by default and is turned off. */
  readonly switchedOff?: string
  /** True if a project's config file may set this setting. */
  readonly project?: boolean
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly format?: string
}

/** `topK` as `top_k`: how names are spelled in files and on every wire. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** `top_k` as `topK`: how names are spelled in code. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** `topK` as `top-k`: how names are spelled on a command line. */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/**
 * Renames the properties that a schema declares, wherever they stand in `value`, and texts that name fields. Keys of records
 * (block ids, relation names) and properties that the schema does not know stay as they are.
 *
 * @param schema the schema in the spelling of `value`
 */
export function respell(
  value: unknown,
  schema: JsonSchema | undefined,
  spell: (name: string) => string,
): unknown {
  if (typeof value === 'string' && schema?.namesFields === true) return spell(value)
  if (schema === undefined || value === null || typeof value !== 'object') return value
  const { items, properties = {}, additionalProperties } = branchFor(value, schema)
  if (Array.isArray(value)) return value.map((item) => respell(item, items, spell))
  const rest = typeof additionalProperties === 'object' ? additionalProperties : undefined
  const renamed = Object.entries(value).map(([key, item]) => {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined
    return [known === undefined ? key : spell(key), respell(item, known ?? rest, spell)] as const
  })
  return Object.fromEntries(renamed)
}

/** The schema with every declared property spelled anew; what it allows is the same otherwise. */
export function respellSchema(schema: JsonSchema, spell: (name: string) => string): JsonSchema {
  const { properties, required, items, anyOf, additionalProperties } = schema
  const next = (each: JsonSchema) => respellSchema(each, spell)
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, each]) => [spell(key), next(each)]),
      ),
    }),
    ...(required && { required: required.map(spell) }),
    ...(schema.namesFields && schema.enum && { enum: schema.enum.map((name) => spell(String(name))) }),
    ...(items && { items: next(items) }),
    ...(anyOf && { anyOf: anyOf.map(next) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: next(additionalProperties) }),
  }
}

/** Returns the alternative of a schema that knows most of the value's keys. */
function branchFor(value: object, schema: JsonSchema): JsonSchema {
  if (!schema.anyOf) return schema
  const score = ({ type, properties = {} }: JsonSchema) => {
    if (Array.isArray(value) !== (type === 'array')) return -1
    return Object.keys(value).filter((key) => Object.hasOwn(properties, key)).length
  }
  return schema.anyOf.reduce((best, each) => (score(each) > score(best) ? each : best))
}
