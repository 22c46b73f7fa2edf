import type { Settings } from './config/settings.ts'
import type { KeyVariable } from './flow/engine.ts'

/** The environment variables the settings name for keys, and whether they are set; never what they hold. */
export function keyVariables(
  { embeddings, llm }: Pick<Settings, 'embeddings' | 'llm'>,
  env: Readonly<Record<string, string | undefined>>,
): KeyVariable[] {
  const isSet = (variable: string) => (env[variable] ?? '').trim() !== ''
  const embedding = embeddings.provider === 'http' ? embeddings.apiKeyEnv : undefined
  const judging = llm.model === undefined || llm.provider === 'none' ? undefined : llm.apiKeyEnv
  return [
    ...(embedding === undefined
      ? []
      : [{ variable: embedding, use: 'embeddings' as const, isSet: isSet(embedding) }]),
    ...(judging === undefined ? [] : [{ variable: judging, use: 'llm' as const, isSet: isSet(judging) }]),
  ]
}
