import type { RawSettings } from '../settings-schema.ts'
import { snakeCase } from '../spelling.ts'
import { valueAt } from './allowed-settings.ts'

/** Settings of one source. */
export interface SettingsLayer {
  /** The name of the source for people: `the environment`, or a path. */
  readonly name: string
  /** camelCase */
  readonly values: RawSettings
}

/** Uses of a model whose key is not sent, with one sentence that says why. */
export type WithheldKeys = Readonly<Partial<Record<'llm' | 'embeddings', string>>>

/** Providers that no key has a usual variable for. */
const KEYLESS = [undefined, 'auto', 'http', 'none']

/**
 * A key goes only to the address it was configured with: what names the key (`api_key_env`, or a `provider` with a usual
 * variable) and what names the address (`base_url`, else `provider`) must be of one source, unless the address is the
 * default.
 *
 * @param layers the source that counts first is the first
 */
export function withheldKeys(layers: readonly SettingsLayer[]): WithheldKeys {
  const llm = withheld(layers, 'llm')
  const embeddings = withheld(layers, 'embeddings')
  return { ...(llm && { llm }), ...(embeddings && { embeddings }) }
}

function withheld(layers: readonly SettingsLayer[], use: 'llm' | 'embeddings'): string | undefined {
  const given = (key: string) => {
    const source = layers.find(({ values }) => valueAt(values, [use, key]) !== undefined)
    return source && { key, source, value: valueAt(source.values, [use, key]) }
  }
  const provider = given('provider')
  const named =
    given('apiKeyEnv') ??
    (use === 'llm' && !KEYLESS.includes(provider?.value as string) ? provider : undefined)
  const address = given('baseUrl') ?? (provider?.value === 'auto' ? undefined : provider)
  if (named === undefined || address === undefined || named.source === address.source) return undefined
  const said = ({ key, source }: typeof named) => `${use}.${snakeCase(key)} (${source.name})`
  return `No key is sent to what ${said(address)} names, because ${said(named)} names the key: set both in one place.`
}
