// Tells that a key was refused; signing in itself needs no script.
document.querySelector("#refused").hidden = !location.search.includes("refused");
