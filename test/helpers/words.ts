const SUBJECTS = [
  'The harbour',
  'A baker',
  'Our server',
  'The orchestra',
  'A glacier',
  'The library',
  'This engine',
  'A fox',
]
const VERBS = ['opens', 'loses', 'measures', 'paints', 'repairs', 'counts', 'avoids', 'lends']
const OBJECTS = [
  'copper pipes',
  'winter coats',
  'late invoices',
  'violin strings',
  'tidal maps',
  'old passwords',
  'spare gears',
  'sour cherries',
]

/** Different statements that share few words, `n` of them. */
export function statements(n: number): string[] {
  return Array.from({ length: n }, (_, i) => {
    const subject = SUBJECTS[i % 8]
    const verb = VERBS[Math.floor(i / 8) % 8]
    const object = OBJECTS[(i + Math.floor(i / 64)) % 8]
    return `${subject} ${verb} ${object} in case ${i * 7919}q${i}.`
  })
}
