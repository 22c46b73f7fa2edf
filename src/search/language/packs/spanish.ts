import { stemmer } from '@orama/stemmers/spanish'
import type { LanguageData } from '../pack.ts'

export const SPANISH: LanguageData = {
  id: 'spanish-1',
  stem: stemmer,
  stopWords:
    'a al algo ante antes como cómo con contra cual cuál cuales cuáles cuando cuándo de del desde donde dónde e el él ella ellas ' +
    'ellos en entre era eran es esa esas ese eso esos esta está están estas este esto estos fue fueron ha había han has hay he la ' +
    'las le les lo los me mi mí mis muy nada ni no nos nosotros nuestra nuestro o os para pero por porque que qué quien quién ' +
    'quienes se ser si sí sin sobre son su sus también te ti tiene tu tú tus un una uno unos y ya yo',
  months: 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
  timeWords:
    'ayer anteayer hoy mañana anoche pasado pasada pasados próximo próxima hace desde recientemente lunes martes miércoles jueves ' +
    'viernes sábado domingo semana semanas mes meses año años días',
  whenStarts: ['cuándo', 'desde cuándo', 'hasta cuándo', 'cuánto tiempo', 'hace cuánto'],
  whenPhrases: [
    'en qué fecha',
    'qué fecha',
    'qué día',
    'qué mes',
    'qué año',
    'qué semana',
    'a qué hora',
    'cuántos días',
    'cuántas semanas',
    'cuántos meses',
    'cuántos años',
  ],
  and: 'y',
  both: 'ambos ambas',
}
