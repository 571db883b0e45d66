from sqale_assets.cli import main

main()
