/** What one source says. */
export interface NeedAnswer {
  readonly kind: 'needed' | 'none' | 'unknown'
  /** PascalCase: of the condition, where a reboot is needed. */
  readonly reason: string
  /** Foreign text within. */
  readonly text: string
}
