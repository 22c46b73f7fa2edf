/** The line of a program's complaints that most likely says why it failed. */
export function reasonIn(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const telling = lines.find((line) => /\b\w*(error|assertion failed|fatal)\b/i.test(line))
  return telling ?? lines.at(-1) ?? 'it did not say why'
}
