#!/bin/sh
# Installs svc on Linux and macOS from the base address of its releases, for this user. Without a suitable Node.js it installs a
# self-contained executable, where the release has one for this platform.
#   SVC_RELEASE_URL   base address of the releases (required), https or a server on this machine
#   SVC_VERSION       release to install, such as v0.1.0 (default: the newest)
#   SVC_INSTALL_DIR   folder of the installation (default: ~/.svc): bin/svc, share/man and one folder for each version
#   SVC_EXECUTABLE    1 installs the executable although there is a Node.js
# Another version replaces the links only after its checksum was compared. Running it again repairs an installation. Everything is in a
# function, so that a script that arrives in part does nothing.
set -eu

fail() {
  echo "error: $1" >&2
  exit 1
}

# download ADDRESS FILE: without a change to another protocol.
download() {
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL --proto "$protocols" --max-time 300 --max-filesize 200000000 --retry 2 -o "$2" "$1" || fail "cannot download $1"
  elif command -v wget >/dev/null 2>&1; then
    wget -q --max-redirect=0 --timeout=60 --tries=3 -O "$2" "$1" || fail "cannot download $1"
  else
    fail "neither curl nor wget is installed"
  fi
}

sha256() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum "$1" | awk '{ print $1 }'
  else
    shasum -a 256 "$1" | awk '{ print $1 }'
  fi
}

# link TARGET NAME: replaced in one step. The systems name the option differently that takes a link to a folder as a file.
link() {
  ln -sfn "$1" "$work/link"
  mv -fT "$work/link" "$2" 2>/dev/null || mv -fh "$work/link" "$2"
}

# platform: the name of this platform in the names of executables.
platform() {
  case $(uname -s) in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) echo "${system}_x64" ;;
    aarch64 | arm64) echo "${system}_arm64" ;;
    *) echo "${system}_$(uname -m)" ;;
  esac
}

# has_node: whether there is a Node.js that runs svc.
has_node() {
  "${SVC_NODE:-node}" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 19) ? 0 : 1)' 2>/dev/null
}

# Removes what is unfinished, and puts a version back that was moved away.
clean() {
  if [ -d "$work/old" ] && [ ! -e "$dir/versions/$version" ]; then mv "$work/old" "$dir/versions/$version"; fi
  rm -rf "$work"
  rmdir "$dir/.lock"
}

main() {
  base=${SVC_RELEASE_URL:-}
  base=${base%/}
  case $base in
    https://*) protocols==https ;;
    http://*@*) fail "SVC_RELEASE_URL must be an https address" ;;
    http://127.0.0.1:* | http://localhost:*) protocols==http ;;
    "") fail "set SVC_RELEASE_URL to the base address of the releases" ;;
    *) fail "SVC_RELEASE_URL must be an https address" ;;
  esac
  dir=${SVC_INSTALL_DIR:-${HOME:?}/.svc}
  case $(uname -s) in
    Linux | Darwin) ;;
    *) fail "this installer is for Linux and macOS; elsewhere install the package of the release with npm" ;;
  esac
  for tool in tar awk; do
    command -v "$tool" >/dev/null 2>&1 || fail "$tool is not installed"
  done
  executable=${SVC_EXECUTABLE:-}
  if [ -z "$executable" ] && ! has_node; then executable=1; fi

  if [ -e "$dir/bin/svc" ] || [ -e "$dir/share/man/man1" ]; then
    case $(readlink "$dir/bin/svc" 2>/dev/null) in
      ../versions/*) ;;
      *) fail "$dir has programs or man pages of others; set SVC_INSTALL_DIR to a folder of its own" ;;
    esac
  fi
  mkdir -p "$dir/versions" "$dir/bin" "$dir/share/man"
  mkdir "$dir/.lock" 2>/dev/null || fail "another installation into $dir is running; if none is, remove $dir/.lock"
  version=
  work=$dir/versions/.new-$$
  trap clean EXIT
  trap 'exit 130' INT TERM
  mkdir "$work"

  version=${SVC_VERSION:-}
  if [ -z "$version" ]; then
    download "$base/latest" "$work/latest"
    version=$(awk 'NR == 1 { print $1 }' "$work/latest")
  fi
  version=${version#v}
  case $version in
    *[!0-9.]* | .* | *. | *..* | *.*.*.*) fail "\"$version\" is not a version" ;;
    *.*.*) ;;
    *) fail "\"$version\" is not a version" ;;
  esac

  archive=svc_$version.tgz program=dist/svc.js man=dist/man
  if [ -n "$executable" ]; then archive=svc_${version}_$(platform).tgz program=svc man=man; fi
  download "$base/v$version/svc_${version}_SHA256SUMS" "$work/sums"
  wanted=$(awk -v name="$archive" '$2 == name { print $1 }' "$work/sums")
  if [ -z "$wanted" ] && [ -n "$executable" ]; then
    fail "the release has no executable for $(platform); install Node.js 22.19 or newer from nodejs.org and run this again"
  fi
  [ -n "$wanted" ] || fail "the checksums of $version do not list $archive"
  download "$base/v$version/$archive" "$work/$archive"
  [ "$(sha256 "$work/$archive")" = "$wanted" ] || fail "the checksum of $archive differs; nothing was installed"

  tar -xzf "$work/$archive" -C "$work"
  [ -f "$work/package/$program" ] || fail "$archive does not contain svc"
  chmod +x "$work/package/$program"
  # A version that is there is replaced. The one in use stays for the processes that run it; others are removed.
  previous=$(readlink "$dir/bin/svc" 2>/dev/null | awk -F/ '{ print $3 }') || previous=
  if [ -e "$dir/versions/$version" ]; then mv "$dir/versions/$version" "$work/old"; fi
  mv "$work/package" "$dir/versions/$version"

  link "../versions/$version/$program" "$dir/bin/svc"
  link "../../versions/$version/$man" "$dir/share/man/man1"

  for other in "$dir"/versions/* "$dir"/versions/.new-*; do
    case ${other##*/} in
      "$version" | "$previous" | "${work##*/}") ;;
      *) rm -rf "$other" ;;
    esac
  done

  echo "Installed svc $version: $dir/bin/svc"
  case :${PATH:-}: in
    *":$dir/bin:"*) ;;
    *) echo "Add it to PATH: export PATH=\"$dir/bin:\$PATH\"" ;;
  esac
}

main
