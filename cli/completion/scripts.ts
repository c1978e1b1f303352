// The completion scripts of the shells. Each calls `svc __complete`, which prints a value and its description on each line.
// They are our own because the scripts of @bomb.sh/tab let bash execute text in a name from the server.

/** A shell with a script. */
export type Shell = "bash" | "zsh" | "fish" | "powershell";

const bash = `# bash completion for svc
_svc() {
  local value
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    [[ -n $value ]] && COMPREPLY+=("$(printf '%q' "$value")")
  done < <(svc __complete "--word=\${COMP_WORDS[COMP_CWORD]}" -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)
}
complete -o default -F _svc svc
`;

const zsh = `#compdef svc
_svc() {
  local -a found
  local value description
  while IFS=$'\\t' read -r value description; do
    [[ -n $value ]] && found+=("\${value//:/\\\\:}:$description")
  done < <(svc __complete "--word=\${(Q)words[CURRENT]}" -- "\${(@Q)words[2,CURRENT-1]}" 2>/dev/null)
  if (( \${#found} )); then
    _describe -t svc svc found
  else
    _files
  fi
}
if [[ \${funcstack[1]} == _svc ]]; then
  _svc "$@"
else
  compdef _svc svc
fi
`;

const fish = `# fish completion for svc
function __svc_complete
    set -l before (commandline -opc)
    set -l word (commandline -ct)
    set -l found (svc __complete --word="$word" -- $before[2..-1] 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path "$word"
    end
end
complete -c svc -f -a '(__svc_complete)'
`;

const powershell = `# PowerShell completion for svc
Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
    ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.ToString() } })
  svc __complete "--word=$wordToComplete" -- @before 2>$null | ForEach-Object {
    $value, $description = $_ -split "\`t", 2
    if (-not $description) { $description = $value }
    $text = if ($value -match '^[\\w./@:=-]+$') { $value } else { "'" + $value.Replace("'", "''") + "'" }
    [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $description)
  }
}
`;

/** The scripts by shell. */
export const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };
